extension Collection {
    /// Returns the first elements in an order. Equal elements keep their order.
    ///
    /// - Complexity: Mostly O(*n*) if `count` is small, where *n* is the number of elements, and O(*n* log *n*)
    ///   otherwise.
    func first(_ count: Int, by order: (Element, Element) -> Bool) -> [Element] {
        guard count > 0 else { return [] }
        // Few of many elements are found with one look at each of them.
        guard count < self.count / 8 else { return Array(sorted(by: order).prefix(count)) }
        var first: [Element] = []
        for element in self {
            if first.count == count {
                guard order(element, first[count - 1]) else { continue }
                first.removeLast()
            }
            // The element is inserted after equal ones, so that their order is kept.
            var (low, high) = (0, first.count)
            while low < high {
                let middle = (low + high) / 2
                if order(element, first[middle]) { high = middle } else { low = middle + 1 }
            }
            first.insert(element, at: low)
        }
        return first
    }
}
