
// Units of whole words: one load and one store an item.
fn make_item(place: Place) {
    store(place.dst, load(place.src));
}
