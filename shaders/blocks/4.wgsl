
// A block of 16 by 16 units of 4 bits: 16 chunks in, turned in registers, 16 chunks out. Rows lie along the destination's
// unit axis, columns along the source's. At ragged edges a block has fewer of either.
const SIDE = 16u;

fn turn(src: u32, dst: u32, rows: u32, columns: u32) {
    let words = (columns * 4u + 31u) / 32u;
    let bits = rows * 4u;
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
    // Swap 16-bit halves between rows 4 apart.
    t = ((r0 >> Chunk(16u)) ^ r4) & Chunk(0x0000ffffu);
    r4 ^= t;
    r0 ^= t << Chunk(16u);
    t = ((r1 >> Chunk(16u)) ^ r5) & Chunk(0x0000ffffu);
    r5 ^= t;
    r1 ^= t << Chunk(16u);
    t = ((r2 >> Chunk(16u)) ^ r6) & Chunk(0x0000ffffu);
    r6 ^= t;
    r2 ^= t << Chunk(16u);
    t = ((r3 >> Chunk(16u)) ^ r7) & Chunk(0x0000ffffu);
    r7 ^= t;
    r3 ^= t << Chunk(16u);
    // Swap 8-bit halves between rows 2 apart.
    t = ((r0 >> Chunk(8u)) ^ r2) & Chunk(0x00ff00ffu);
    r2 ^= t;
    r0 ^= t << Chunk(8u);
    t = ((r1 >> Chunk(8u)) ^ r3) & Chunk(0x00ff00ffu);
    r3 ^= t;
    r1 ^= t << Chunk(8u);
    t = ((r4 >> Chunk(8u)) ^ r6) & Chunk(0x00ff00ffu);
    r6 ^= t;
    r4 ^= t << Chunk(8u);
    t = ((r5 >> Chunk(8u)) ^ r7) & Chunk(0x00ff00ffu);
    r7 ^= t;
    r5 ^= t << Chunk(8u);
    // Swap 4-bit halves between rows 1 apart.
    t = ((r0 >> Chunk(4u)) ^ r1) & Chunk(0x0f0f0f0fu);
    r1 ^= t;
    r0 ^= t << Chunk(4u);
    t = ((r2 >> Chunk(4u)) ^ r3) & Chunk(0x0f0f0f0fu);
    r3 ^= t;
    r2 ^= t << Chunk(4u);
    t = ((r4 >> Chunk(4u)) ^ r5) & Chunk(0x0f0f0f0fu);
    r5 ^= t;
    r4 ^= t << Chunk(4u);
    t = ((r6 >> Chunk(4u)) ^ r7) & Chunk(0x0f0f0f0fu);
    r7 ^= t;
    r6 ^= t << Chunk(4u);
    // Swap 16-bit halves between rows 4 apart.
    t = ((r8 >> Chunk(16u)) ^ r12) & Chunk(0x0000ffffu);
    r12 ^= t;
    r8 ^= t << Chunk(16u);
    t = ((r9 >> Chunk(16u)) ^ r13) & Chunk(0x0000ffffu);
    r13 ^= t;
    r9 ^= t << Chunk(16u);
    t = ((r10 >> Chunk(16u)) ^ r14) & Chunk(0x0000ffffu);
    r14 ^= t;
    r10 ^= t << Chunk(16u);
    t = ((r11 >> Chunk(16u)) ^ r15) & Chunk(0x0000ffffu);
    r15 ^= t;
    r11 ^= t << Chunk(16u);
    // Swap 8-bit halves between rows 2 apart.
    t = ((r8 >> Chunk(8u)) ^ r10) & Chunk(0x00ff00ffu);
    r10 ^= t;
    r8 ^= t << Chunk(8u);
    t = ((r9 >> Chunk(8u)) ^ r11) & Chunk(0x00ff00ffu);
    r11 ^= t;
    r9 ^= t << Chunk(8u);
    t = ((r12 >> Chunk(8u)) ^ r14) & Chunk(0x00ff00ffu);
    r14 ^= t;
    r12 ^= t << Chunk(8u);
    t = ((r13 >> Chunk(8u)) ^ r15) & Chunk(0x00ff00ffu);
    r15 ^= t;
    r13 ^= t << Chunk(8u);
    // Swap 4-bit halves between rows 1 apart.
    t = ((r8 >> Chunk(4u)) ^ r9) & Chunk(0x0f0f0f0fu);
    r9 ^= t;
    r8 ^= t << Chunk(4u);
    t = ((r10 >> Chunk(4u)) ^ r11) & Chunk(0x0f0f0f0fu);
    r11 ^= t;
    r10 ^= t << Chunk(4u);
    t = ((r12 >> Chunk(4u)) ^ r13) & Chunk(0x0f0f0f0fu);
    r13 ^= t;
    r12 ^= t << Chunk(4u);
    t = ((r14 >> Chunk(4u)) ^ r15) & Chunk(0x0f0f0f0fu);
    r15 ^= t;
    r14 ^= t << Chunk(4u);
    put(dst, Chunk(r0.x, r8.x), bits);
    if columns > 1u {
        put(dst + 1u * column_dst, Chunk(r1.x, r9.x), bits);
    }
    if columns > 2u {
        put(dst + 2u * column_dst, Chunk(r2.x, r10.x), bits);
    }
    if columns > 3u {
        put(dst + 3u * column_dst, Chunk(r3.x, r11.x), bits);
    }
    if columns > 4u {
        put(dst + 4u * column_dst, Chunk(r4.x, r12.x), bits);
    }
    if columns > 5u {
        put(dst + 5u * column_dst, Chunk(r5.x, r13.x), bits);
    }
    if columns > 6u {
        put(dst + 6u * column_dst, Chunk(r6.x, r14.x), bits);
    }
    if columns > 7u {
        put(dst + 7u * column_dst, Chunk(r7.x, r15.x), bits);
    }
    if columns > 8u {
        put(dst + 8u * column_dst, Chunk(r0.y, r8.y), bits);
    }
    if columns > 9u {
        put(dst + 9u * column_dst, Chunk(r1.y, r9.y), bits);
    }
    if columns > 10u {
        put(dst + 10u * column_dst, Chunk(r2.y, r10.y), bits);
    }
    if columns > 11u {
        put(dst + 11u * column_dst, Chunk(r3.y, r11.y), bits);
    }
    if columns > 12u {
        put(dst + 12u * column_dst, Chunk(r4.y, r12.y), bits);
    }
    if columns > 13u {
        put(dst + 13u * column_dst, Chunk(r5.y, r13.y), bits);
    }
    if columns > 14u {
        put(dst + 14u * column_dst, Chunk(r6.y, r14.y), bits);
    }
    if columns > 15u {
        put(dst + 15u * column_dst, Chunk(r7.y, r15.y), bits);
    }
}
