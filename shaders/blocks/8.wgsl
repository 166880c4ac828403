
// Four rows of bytes as four columns, in each word at once.
struct Four {
    a: Chunk,
    b: Chunk,
    c: Chunk,
    d: Chunk,
}

fn turn_bytes(a: Chunk, b: Chunk, c: Chunk, d: Chunk) -> Four {
    let even = Chunk(0x00ff00ffu);
    let odd = Chunk(0xff00ff00u);
    let byte = Chunk(8u);
    let half = Chunk(16u);
    let low = Chunk(0x0000ffffu);
    let high = Chunk(0xffff0000u);
    let ab_even = (a & even) | ((b & even) << byte);
    let ab_odd = ((a >> byte) & even) | (b & odd);
    let cd_even = (c & even) | ((d & even) << byte);
    let cd_odd = ((c >> byte) & even) | (d & odd);
    return Four(
        (ab_even & low) | (cd_even << half),
        (ab_odd & low) | (cd_odd << half),
        (ab_even >> half) | (cd_even & high),
        (ab_odd >> half) | (cd_odd & high),
    );
}

// A block of 16 by 16 bytes: 16 chunks in, turned in registers, 16 chunks out. Rows lie along the destination's
// unit axis, columns along the source's. At ragged edges a block has fewer of either.
const SIDE = 16u;

fn turn(src: u32, dst: u32, rows: u32, columns: u32) {
    let words = (columns * 8u + 31u) / 32u;
    let bits = rows * 8u;
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
    let t0 = turn_bytes(r0, r1, r2, r3);
    let t1 = turn_bytes(r4, r5, r6, r7);
    let t2 = turn_bytes(r8, r9, r10, r11);
    let t3 = turn_bytes(r12, r13, r14, r15);
    put(dst, Chunk(t0.a.x, t1.a.x, t2.a.x, t3.a.x), bits);
    if columns > 1u {
        put(dst + 1u * column_dst, Chunk(t0.b.x, t1.b.x, t2.b.x, t3.b.x), bits);
    }
    if columns > 2u {
        put(dst + 2u * column_dst, Chunk(t0.c.x, t1.c.x, t2.c.x, t3.c.x), bits);
    }
    if columns > 3u {
        put(dst + 3u * column_dst, Chunk(t0.d.x, t1.d.x, t2.d.x, t3.d.x), bits);
    }
    if columns > 4u {
        put(dst + 4u * column_dst, Chunk(t0.a.y, t1.a.y, t2.a.y, t3.a.y), bits);
    }
    if columns > 5u {
        put(dst + 5u * column_dst, Chunk(t0.b.y, t1.b.y, t2.b.y, t3.b.y), bits);
    }
    if columns > 6u {
        put(dst + 6u * column_dst, Chunk(t0.c.y, t1.c.y, t2.c.y, t3.c.y), bits);
    }
    if columns > 7u {
        put(dst + 7u * column_dst, Chunk(t0.d.y, t1.d.y, t2.d.y, t3.d.y), bits);
    }
    if columns > 8u {
        put(dst + 8u * column_dst, Chunk(t0.a.z, t1.a.z, t2.a.z, t3.a.z), bits);
    }
    if columns > 9u {
        put(dst + 9u * column_dst, Chunk(t0.b.z, t1.b.z, t2.b.z, t3.b.z), bits);
    }
    if columns > 10u {
        put(dst + 10u * column_dst, Chunk(t0.c.z, t1.c.z, t2.c.z, t3.c.z), bits);
    }
    if columns > 11u {
        put(dst + 11u * column_dst, Chunk(t0.d.z, t1.d.z, t2.d.z, t3.d.z), bits);
    }
    if columns > 12u {
        put(dst + 12u * column_dst, Chunk(t0.a.w, t1.a.w, t2.a.w, t3.a.w), bits);
    }
    if columns > 13u {
        put(dst + 13u * column_dst, Chunk(t0.b.w, t1.b.w, t2.b.w, t3.b.w), bits);
    }
    if columns > 14u {
        put(dst + 14u * column_dst, Chunk(t0.c.w, t1.c.w, t2.c.w, t3.c.w), bits);
    }
    if columns > 15u {
        put(dst + 15u * column_dst, Chunk(t0.d.w, t1.d.w, t2.d.w, t3.d.w), bits);
    }
}
