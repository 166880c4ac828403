
// A block of 32 by 32 units of 1 bit: 32 chunks in, turned in registers, 32 chunks out. Rows lie along the destination's
// unit axis, columns along the source's. At ragged edges a block has fewer of either.
const SIDE = 32u;

fn turn(src: u32, dst: u32, rows: u32, columns: u32) {
    let words = (columns * 1u + 31u) / 32u;
    let bits = rows * 1u;
    let row_src = p.row_src;
    let column_dst = p.column_dst;
    var r0 = load(src, words);
    var r1 = Chunk();
    if rows > 1u {
        r1 = load(src + 1u * row_src, words);
    }
    var r2 = Chunk();
    if rows > 2u {
        r2 = load(src + 2u * row_src, words);
    }
    var r3 = Chunk();
    if rows > 3u {
        r3 = load(src + 3u * row_src, words);
    }
    var r4 = Chunk();
    if rows > 4u {
        r4 = load(src + 4u * row_src, words);
    }
    var r5 = Chunk();
    if rows > 5u {
        r5 = load(src + 5u * row_src, words);
    }
    var r6 = Chunk();
    if rows > 6u {
        r6 = load(src + 6u * row_src, words);
    }
    var r7 = Chunk();
    if rows > 7u {
        r7 = load(src + 7u * row_src, words);
    }
    var r8 = Chunk();
    if rows > 8u {
        r8 = load(src + 8u * row_src, words);
    }
    var r9 = Chunk();
    if rows > 9u {
        r9 = load(src + 9u * row_src, words);
    }
    var r10 = Chunk();
    if rows > 10u {
        r10 = load(src + 10u * row_src, words);
    }
    var r11 = Chunk();
    if rows > 11u {
        r11 = load(src + 11u * row_src, words);
    }
    var r12 = Chunk();
    if rows > 12u {
        r12 = load(src + 12u * row_src, words);
    }
    var r13 = Chunk();
    if rows > 13u {
        r13 = load(src + 13u * row_src, words);
    }
    var r14 = Chunk();
    if rows > 14u {
        r14 = load(src + 14u * row_src, words);
    }
    var r15 = Chunk();
    if rows > 15u {
        r15 = load(src + 15u * row_src, words);
    }
    var r16 = Chunk();
    if rows > 16u {
        r16 = load(src + 16u * row_src, words);
    }
    var r17 = Chunk();
    if rows > 17u {
        r17 = load(src + 17u * row_src, words);
    }
    var r18 = Chunk();
    if rows > 18u {
        r18 = load(src + 18u * row_src, words);
    }
    var r19 = Chunk();
    if rows > 19u {
        r19 = load(src + 19u * row_src, words);
    }
    var r20 = Chunk();
    if rows > 20u {
        r20 = load(src + 20u * row_src, words);
    }
    var r21 = Chunk();
    if rows > 21u {
        r21 = load(src + 21u * row_src, words);
    }
    var r22 = Chunk();
    if rows > 22u {
        r22 = load(src + 22u * row_src, words);
    }
    var r23 = Chunk();
    if rows > 23u {
        r23 = load(src + 23u * row_src, words);
    }
    var r24 = Chunk();
    if rows > 24u {
        r24 = load(src + 24u * row_src, words);
    }
    var r25 = Chunk();
    if rows > 25u {
        r25 = load(src + 25u * row_src, words);
    }
    var r26 = Chunk();
    if rows > 26u {
        r26 = load(src + 26u * row_src, words);
    }
    var r27 = Chunk();
    if rows > 27u {
        r27 = load(src + 27u * row_src, words);
    }
    var r28 = Chunk();
    if rows > 28u {
        r28 = load(src + 28u * row_src, words);
    }
    var r29 = Chunk();
    if rows > 29u {
        r29 = load(src + 29u * row_src, words);
    }
    var r30 = Chunk();
    if rows > 30u {
        r30 = load(src + 30u * row_src, words);
    }
    var r31 = Chunk();
    if rows > 31u {
        r31 = load(src + 31u * row_src, words);
    }
    var t: Chunk;
    // Swap 16-bit halves between rows 16 apart.
    t = ((r0 >> 16u) ^ r16) & 0x0000ffffu;
    r16 ^= t;
    r0 ^= t << 16u;
    t = ((r1 >> 16u) ^ r17) & 0x0000ffffu;
    r17 ^= t;
    r1 ^= t << 16u;
    t = ((r2 >> 16u) ^ r18) & 0x0000ffffu;
    r18 ^= t;
    r2 ^= t << 16u;
    t = ((r3 >> 16u) ^ r19) & 0x0000ffffu;
    r19 ^= t;
    r3 ^= t << 16u;
    t = ((r4 >> 16u) ^ r20) & 0x0000ffffu;
    r20 ^= t;
    r4 ^= t << 16u;
    t = ((r5 >> 16u) ^ r21) & 0x0000ffffu;
    r21 ^= t;
    r5 ^= t << 16u;
    t = ((r6 >> 16u) ^ r22) & 0x0000ffffu;
    r22 ^= t;
    r6 ^= t << 16u;
    t = ((r7 >> 16u) ^ r23) & 0x0000ffffu;
    r23 ^= t;
    r7 ^= t << 16u;
    t = ((r8 >> 16u) ^ r24) & 0x0000ffffu;
    r24 ^= t;
    r8 ^= t << 16u;
    t = ((r9 >> 16u) ^ r25) & 0x0000ffffu;
    r25 ^= t;
    r9 ^= t << 16u;
    t = ((r10 >> 16u) ^ r26) & 0x0000ffffu;
    r26 ^= t;
    r10 ^= t << 16u;
    t = ((r11 >> 16u) ^ r27) & 0x0000ffffu;
    r27 ^= t;
    r11 ^= t << 16u;
    t = ((r12 >> 16u) ^ r28) & 0x0000ffffu;
    r28 ^= t;
    r12 ^= t << 16u;
    t = ((r13 >> 16u) ^ r29) & 0x0000ffffu;
    r29 ^= t;
    r13 ^= t << 16u;
    t = ((r14 >> 16u) ^ r30) & 0x0000ffffu;
    r30 ^= t;
    r14 ^= t << 16u;
    t = ((r15 >> 16u) ^ r31) & 0x0000ffffu;
    r31 ^= t;
    r15 ^= t << 16u;
    // Swap 8-bit halves between rows 8 apart.
    t = ((r0 >> 8u) ^ r8) & 0x00ff00ffu;
    r8 ^= t;
    r0 ^= t << 8u;
    t = ((r1 >> 8u) ^ r9) & 0x00ff00ffu;
    r9 ^= t;
    r1 ^= t << 8u;
    t = ((r2 >> 8u) ^ r10) & 0x00ff00ffu;
    r10 ^= t;
    r2 ^= t << 8u;
    t = ((r3 >> 8u) ^ r11) & 0x00ff00ffu;
    r11 ^= t;
    r3 ^= t << 8u;
    t = ((r4 >> 8u) ^ r12) & 0x00ff00ffu;
    r12 ^= t;
    r4 ^= t << 8u;
    t = ((r5 >> 8u) ^ r13) & 0x00ff00ffu;
    r13 ^= t;
    r5 ^= t << 8u;
    t = ((r6 >> 8u) ^ r14) & 0x00ff00ffu;
    r14 ^= t;
    r6 ^= t << 8u;
    t = ((r7 >> 8u) ^ r15) & 0x00ff00ffu;
    r15 ^= t;
    r7 ^= t << 8u;
    t = ((r16 >> 8u) ^ r24) & 0x00ff00ffu;
    r24 ^= t;
    r16 ^= t << 8u;
    t = ((r17 >> 8u) ^ r25) & 0x00ff00ffu;
    r25 ^= t;
    r17 ^= t << 8u;
    t = ((r18 >> 8u) ^ r26) & 0x00ff00ffu;
    r26 ^= t;
    r18 ^= t << 8u;
    t = ((r19 >> 8u) ^ r27) & 0x00ff00ffu;
    r27 ^= t;
    r19 ^= t << 8u;
    t = ((r20 >> 8u) ^ r28) & 0x00ff00ffu;
    r28 ^= t;
    r20 ^= t << 8u;
    t = ((r21 >> 8u) ^ r29) & 0x00ff00ffu;
    r29 ^= t;
    r21 ^= t << 8u;
    t = ((r22 >> 8u) ^ r30) & 0x00ff00ffu;
    r30 ^= t;
    r22 ^= t << 8u;
    t = ((r23 >> 8u) ^ r31) & 0x00ff00ffu;
    r31 ^= t;
    r23 ^= t << 8u;
    // Swap 4-bit halves between rows 4 apart.
    t = ((r0 >> 4u) ^ r4) & 0x0f0f0f0fu;
    r4 ^= t;
    r0 ^= t << 4u;
    t = ((r1 >> 4u) ^ r5) & 0x0f0f0f0fu;
    r5 ^= t;
    r1 ^= t << 4u;
    t = ((r2 >> 4u) ^ r6) & 0x0f0f0f0fu;
    r6 ^= t;
    r2 ^= t << 4u;
    t = ((r3 >> 4u) ^ r7) & 0x0f0f0f0fu;
    r7 ^= t;
    r3 ^= t << 4u;
    t = ((r8 >> 4u) ^ r12) & 0x0f0f0f0fu;
    r12 ^= t;
    r8 ^= t << 4u;
    t = ((r9 >> 4u) ^ r13) & 0x0f0f0f0fu;
    r13 ^= t;
    r9 ^= t << 4u;
    t = ((r10 >> 4u) ^ r14) & 0x0f0f0f0fu;
    r14 ^= t;
    r10 ^= t << 4u;
    t = ((r11 >> 4u) ^ r15) & 0x0f0f0f0fu;
    r15 ^= t;
    r11 ^= t << 4u;
    t = ((r16 >> 4u) ^ r20) & 0x0f0f0f0fu;
    r20 ^= t;
    r16 ^= t << 4u;
    t = ((r17 >> 4u) ^ r21) & 0x0f0f0f0fu;
    r21 ^= t;
    r17 ^= t << 4u;
    t = ((r18 >> 4u) ^ r22) & 0x0f0f0f0fu;
    r22 ^= t;
    r18 ^= t << 4u;
    t = ((r19 >> 4u) ^ r23) & 0x0f0f0f0fu;
    r23 ^= t;
    r19 ^= t << 4u;
    t = ((r24 >> 4u) ^ r28) & 0x0f0f0f0fu;
    r28 ^= t;
    r24 ^= t << 4u;
    t = ((r25 >> 4u) ^ r29) & 0x0f0f0f0fu;
    r29 ^= t;
    r25 ^= t << 4u;
    t = ((r26 >> 4u) ^ r30) & 0x0f0f0f0fu;
    r30 ^= t;
    r26 ^= t << 4u;
    t = ((r27 >> 4u) ^ r31) & 0x0f0f0f0fu;
    r31 ^= t;
    r27 ^= t << 4u;
    // Swap 2-bit halves between rows 2 apart.
    t = ((r0 >> 2u) ^ r2) & 0x33333333u;
    r2 ^= t;
    r0 ^= t << 2u;
    t = ((r1 >> 2u) ^ r3) & 0x33333333u;
    r3 ^= t;
    r1 ^= t << 2u;
    t = ((r4 >> 2u) ^ r6) & 0x33333333u;
    r6 ^= t;
    r4 ^= t << 2u;
    t = ((r5 >> 2u) ^ r7) & 0x33333333u;
    r7 ^= t;
    r5 ^= t << 2u;
    t = ((r8 >> 2u) ^ r10) & 0x33333333u;
    r10 ^= t;
    r8 ^= t << 2u;
    t = ((r9 >> 2u) ^ r11) & 0x33333333u;
    r11 ^= t;
    r9 ^= t << 2u;
    t = ((r12 >> 2u) ^ r14) & 0x33333333u;
    r14 ^= t;
    r12 ^= t << 2u;
    t = ((r13 >> 2u) ^ r15) & 0x33333333u;
    r15 ^= t;
    r13 ^= t << 2u;
    t = ((r16 >> 2u) ^ r18) & 0x33333333u;
    r18 ^= t;
    r16 ^= t << 2u;
    t = ((r17 >> 2u) ^ r19) & 0x33333333u;
    r19 ^= t;
    r17 ^= t << 2u;
    t = ((r20 >> 2u) ^ r22) & 0x33333333u;
    r22 ^= t;
    r20 ^= t << 2u;
    t = ((r21 >> 2u) ^ r23) & 0x33333333u;
    r23 ^= t;
    r21 ^= t << 2u;
    t = ((r24 >> 2u) ^ r26) & 0x33333333u;
    r26 ^= t;
    r24 ^= t << 2u;
    t = ((r25 >> 2u) ^ r27) & 0x33333333u;
    r27 ^= t;
    r25 ^= t << 2u;
    t = ((r28 >> 2u) ^ r30) & 0x33333333u;
    r30 ^= t;
    r28 ^= t << 2u;
    t = ((r29 >> 2u) ^ r31) & 0x33333333u;
    r31 ^= t;
    r29 ^= t << 2u;
    // Swap 1-bit halves between rows 1 apart.
    t = ((r0 >> 1u) ^ r1) & 0x55555555u;
    r1 ^= t;
    r0 ^= t << 1u;
    t = ((r2 >> 1u) ^ r3) & 0x55555555u;
    r3 ^= t;
    r2 ^= t << 1u;
    t = ((r4 >> 1u) ^ r5) & 0x55555555u;
    r5 ^= t;
    r4 ^= t << 1u;
    t = ((r6 >> 1u) ^ r7) & 0x55555555u;
    r7 ^= t;
    r6 ^= t << 1u;
    t = ((r8 >> 1u) ^ r9) & 0x55555555u;
    r9 ^= t;
    r8 ^= t << 1u;
    t = ((r10 >> 1u) ^ r11) & 0x55555555u;
    r11 ^= t;
    r10 ^= t << 1u;
    t = ((r12 >> 1u) ^ r13) & 0x55555555u;
    r13 ^= t;
    r12 ^= t << 1u;
    t = ((r14 >> 1u) ^ r15) & 0x55555555u;
    r15 ^= t;
    r14 ^= t << 1u;
    t = ((r16 >> 1u) ^ r17) & 0x55555555u;
    r17 ^= t;
    r16 ^= t << 1u;
    t = ((r18 >> 1u) ^ r19) & 0x55555555u;
    r19 ^= t;
    r18 ^= t << 1u;
    t = ((r20 >> 1u) ^ r21) & 0x55555555u;
    r21 ^= t;
    r20 ^= t << 1u;
    t = ((r22 >> 1u) ^ r23) & 0x55555555u;
    r23 ^= t;
    r22 ^= t << 1u;
    t = ((r24 >> 1u) ^ r25) & 0x55555555u;
    r25 ^= t;
    r24 ^= t << 1u;
    t = ((r26 >> 1u) ^ r27) & 0x55555555u;
    r27 ^= t;
    r26 ^= t << 1u;
    t = ((r28 >> 1u) ^ r29) & 0x55555555u;
    r29 ^= t;
    r28 ^= t << 1u;
    t = ((r30 >> 1u) ^ r31) & 0x55555555u;
    r31 ^= t;
    r30 ^= t << 1u;
    put(dst, r0, bits);
    if columns > 1u {
        put(dst + 1u * column_dst, r1, bits);
    }
    if columns > 2u {
        put(dst + 2u * column_dst, r2, bits);
    }
    if columns > 3u {
        put(dst + 3u * column_dst, r3, bits);
    }
    if columns > 4u {
        put(dst + 4u * column_dst, r4, bits);
    }
    if columns > 5u {
        put(dst + 5u * column_dst, r5, bits);
    }
    if columns > 6u {
        put(dst + 6u * column_dst, r6, bits);
    }
    if columns > 7u {
        put(dst + 7u * column_dst, r7, bits);
    }
    if columns > 8u {
        put(dst + 8u * column_dst, r8, bits);
    }
    if columns > 9u {
        put(dst + 9u * column_dst, r9, bits);
    }
    if columns > 10u {
        put(dst + 10u * column_dst, r10, bits);
    }
    if columns > 11u {
        put(dst + 11u * column_dst, r11, bits);
    }
    if columns > 12u {
        put(dst + 12u * column_dst, r12, bits);
    }
    if columns > 13u {
        put(dst + 13u * column_dst, r13, bits);
    }
    if columns > 14u {
        put(dst + 14u * column_dst, r14, bits);
    }
    if columns > 15u {
        put(dst + 15u * column_dst, r15, bits);
    }
    if columns > 16u {
        put(dst + 16u * column_dst, r16, bits);
    }
    if columns > 17u {
        put(dst + 17u * column_dst, r17, bits);
    }
    if columns > 18u {
        put(dst + 18u * column_dst, r18, bits);
    }
    if columns > 19u {
        put(dst + 19u * column_dst, r19, bits);
    }
    if columns > 20u {
        put(dst + 20u * column_dst, r20, bits);
    }
    if columns > 21u {
        put(dst + 21u * column_dst, r21, bits);
    }
    if columns > 22u {
        put(dst + 22u * column_dst, r22, bits);
    }
    if columns > 23u {
        put(dst + 23u * column_dst, r23, bits);
    }
    if columns > 24u {
        put(dst + 24u * column_dst, r24, bits);
    }
    if columns > 25u {
        put(dst + 25u * column_dst, r25, bits);
    }
    if columns > 26u {
        put(dst + 26u * column_dst, r26, bits);
    }
    if columns > 27u {
        put(dst + 27u * column_dst, r27, bits);
    }
    if columns > 28u {
        put(dst + 28u * column_dst, r28, bits);
    }
    if columns > 29u {
        put(dst + 29u * column_dst, r29, bits);
    }
    if columns > 30u {
        put(dst + 30u * column_dst, r30, bits);
    }
    if columns > 31u {
        put(dst + 31u * column_dst, r31, bits);
    }
}
