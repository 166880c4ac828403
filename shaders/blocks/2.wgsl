
// A block of 16 by 16 units of 2 bits: 16 chunks in, turned in registers, 16 chunks out. Rows lie along the destination's
// unit axis, columns along the source's. At ragged edges a block has fewer of either.
const SIDE = 16u;

fn turn(src: u32, dst: u32, rows: u32, columns: u32) {
    let words = (columns * 2u + 31u) / 32u;
    let bits = rows * 2u;
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
    var t: Chunk;
    // Swap 16-bit halves between rows 8 apart.
    t = ((r0 >> 16u) ^ r8) & 0x0000ffffu;
    r8 ^= t;
    r0 ^= t << 16u;
    t = ((r1 >> 16u) ^ r9) & 0x0000ffffu;
    r9 ^= t;
    r1 ^= t << 16u;
    t = ((r2 >> 16u) ^ r10) & 0x0000ffffu;
    r10 ^= t;
    r2 ^= t << 16u;
    t = ((r3 >> 16u) ^ r11) & 0x0000ffffu;
    r11 ^= t;
    r3 ^= t << 16u;
    t = ((r4 >> 16u) ^ r12) & 0x0000ffffu;
    r12 ^= t;
    r4 ^= t << 16u;
    t = ((r5 >> 16u) ^ r13) & 0x0000ffffu;
    r13 ^= t;
    r5 ^= t << 16u;
    t = ((r6 >> 16u) ^ r14) & 0x0000ffffu;
    r14 ^= t;
    r6 ^= t << 16u;
    t = ((r7 >> 16u) ^ r15) & 0x0000ffffu;
    r15 ^= t;
    r7 ^= t << 16u;
    // Swap 8-bit halves between rows 4 apart.
    t = ((r0 >> 8u) ^ r4) & 0x00ff00ffu;
    r4 ^= t;
    r0 ^= t << 8u;
    t = ((r1 >> 8u) ^ r5) & 0x00ff00ffu;
    r5 ^= t;
    r1 ^= t << 8u;
    t = ((r2 >> 8u) ^ r6) & 0x00ff00ffu;
    r6 ^= t;
    r2 ^= t << 8u;
    t = ((r3 >> 8u) ^ r7) & 0x00ff00ffu;
    r7 ^= t;
    r3 ^= t << 8u;
    t = ((r8 >> 8u) ^ r12) & 0x00ff00ffu;
    r12 ^= t;
    r8 ^= t << 8u;
    t = ((r9 >> 8u) ^ r13) & 0x00ff00ffu;
    r13 ^= t;
    r9 ^= t << 8u;
    t = ((r10 >> 8u) ^ r14) & 0x00ff00ffu;
    r14 ^= t;
    r10 ^= t << 8u;
    t = ((r11 >> 8u) ^ r15) & 0x00ff00ffu;
    r15 ^= t;
    r11 ^= t << 8u;
    // Swap 4-bit halves between rows 2 apart.
    t = ((r0 >> 4u) ^ r2) & 0x0f0f0f0fu;
    r2 ^= t;
    r0 ^= t << 4u;
    t = ((r1 >> 4u) ^ r3) & 0x0f0f0f0fu;
    r3 ^= t;
    r1 ^= t << 4u;
    t = ((r4 >> 4u) ^ r6) & 0x0f0f0f0fu;
    r6 ^= t;
    r4 ^= t << 4u;
    t = ((r5 >> 4u) ^ r7) & 0x0f0f0f0fu;
    r7 ^= t;
    r5 ^= t << 4u;
    t = ((r8 >> 4u) ^ r10) & 0x0f0f0f0fu;
    r10 ^= t;
    r8 ^= t << 4u;
    t = ((r9 >> 4u) ^ r11) & 0x0f0f0f0fu;
    r11 ^= t;
    r9 ^= t << 4u;
    t = ((r12 >> 4u) ^ r14) & 0x0f0f0f0fu;
    r14 ^= t;
    r12 ^= t << 4u;
    t = ((r13 >> 4u) ^ r15) & 0x0f0f0f0fu;
    r15 ^= t;
    r13 ^= t << 4u;
    // Swap 2-bit halves between rows 1 apart.
    t = ((r0 >> 2u) ^ r1) & 0x33333333u;
    r1 ^= t;
    r0 ^= t << 2u;
    t = ((r2 >> 2u) ^ r3) & 0x33333333u;
    r3 ^= t;
    r2 ^= t << 2u;
    t = ((r4 >> 2u) ^ r5) & 0x33333333u;
    r5 ^= t;
    r4 ^= t << 2u;
    t = ((r6 >> 2u) ^ r7) & 0x33333333u;
    r7 ^= t;
    r6 ^= t << 2u;
    t = ((r8 >> 2u) ^ r9) & 0x33333333u;
    r9 ^= t;
    r8 ^= t << 2u;
    t = ((r10 >> 2u) ^ r11) & 0x33333333u;
    r11 ^= t;
    r10 ^= t << 2u;
    t = ((r12 >> 2u) ^ r13) & 0x33333333u;
    r13 ^= t;
    r12 ^= t << 2u;
    t = ((r14 >> 2u) ^ r15) & 0x33333333u;
    r15 ^= t;
    r14 ^= t << 2u;
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
}
