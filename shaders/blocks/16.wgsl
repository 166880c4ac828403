
// A block of 8 by 8 units of 16 bits: 8 chunks in, turned in registers, 8 chunks out. Rows lie along the destination's
// unit axis, columns along the source's. At ragged edges a block has fewer of either.
const SIDE = 8u;

fn turn(src: u32, dst: u32, rows: u32, columns: u32) {
    let words = (columns * 16u + 31u) / 32u;
    let bits = rows * 16u;
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
    // Pairs of rows: even columns, then odd ones.
    let even0 = (r0 & Chunk(0xffffu)) | (r1 << Chunk(16u));
    let odd0 = (r0 >> Chunk(16u)) | (r1 & Chunk(0xffff0000u));
    let even1 = (r2 & Chunk(0xffffu)) | (r3 << Chunk(16u));
    let odd1 = (r2 >> Chunk(16u)) | (r3 & Chunk(0xffff0000u));
    let even2 = (r4 & Chunk(0xffffu)) | (r5 << Chunk(16u));
    let odd2 = (r4 >> Chunk(16u)) | (r5 & Chunk(0xffff0000u));
    let even3 = (r6 & Chunk(0xffffu)) | (r7 << Chunk(16u));
    let odd3 = (r6 >> Chunk(16u)) | (r7 & Chunk(0xffff0000u));
    put(dst, Chunk(even0.x, even1.x, even2.x, even3.x), bits);
    if columns > 1u {
        put(dst + 1u * column_dst, Chunk(odd0.x, odd1.x, odd2.x, odd3.x), bits);
    }
    if columns > 2u {
        put(dst + 2u * column_dst, Chunk(even0.y, even1.y, even2.y, even3.y), bits);
    }
    if columns > 3u {
        put(dst + 3u * column_dst, Chunk(odd0.y, odd1.y, odd2.y, odd3.y), bits);
    }
    if columns > 4u {
        put(dst + 4u * column_dst, Chunk(even0.z, even1.z, even2.z, even3.z), bits);
    }
    if columns > 5u {
        put(dst + 5u * column_dst, Chunk(odd0.z, odd1.z, odd2.z, odd3.z), bits);
    }
    if columns > 6u {
        put(dst + 6u * column_dst, Chunk(even0.w, even1.w, even2.w, even3.w), bits);
    }
    if columns > 7u {
        put(dst + 7u * column_dst, Chunk(odd0.w, odd1.w, odd2.w, odd3.w), bits);
    }
}
