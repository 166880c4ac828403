
// The units of each word in reverse order.
fn reverse_units(words: Unit) -> Unit {
    var w = words;
    if UNIT_LOG2 < 5u {
        w = (w >> Unit(16u)) | (w << Unit(16u));
    }
    if UNIT_LOG2 < 4u {
        w = ((w >> Unit(8u)) & Unit(0x00ff00ffu)) | ((w & Unit(0x00ff00ffu)) << Unit(8u));
    }
    if UNIT_LOG2 < 3u {
        w = ((w >> Unit(4u)) & Unit(0x0f0f0f0fu)) | ((w & Unit(0x0f0f0f0fu)) << Unit(4u));
    }
    if UNIT_LOG2 < 2u {
        w = ((w >> Unit(2u)) & Unit(0x33333333u)) | ((w & Unit(0x33333333u)) << Unit(2u));
    }
    if UNIT_LOG2 < 1u {
        w = ((w >> Unit(1u)) & Unit(0x55555555u)) | ((w & Unit(0x55555555u)) << Unit(1u));
    }
    return w;
}
