//! Sorting with a twentieth of the code of the standard library's, which every call of the contract would load.

/// Shell's sort with the gaps of Ciura, which are enough for the 500 or 1,000 accounts of a call or a list.
pub fn shell_sort<T: Ord>(order: &mut [T]) {
    for gap in [301, 132, 57, 23, 10, 4, 1] {
        for from in gap..order.len() {
            let mut at = from;
            while at >= gap && order[at - gap] > order[at] {
                order.swap(at - gap, at);
                at -= gap;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_order_is_the_standard_librarys(mut values in prop::collection::vec(any::<u16>(), 0..1_000)) {
            let mut sorted = values.clone();
            sorted.sort_unstable();
            shell_sort(&mut values);
            prop_assert_eq!(values, sorted);
        }
    }
}
