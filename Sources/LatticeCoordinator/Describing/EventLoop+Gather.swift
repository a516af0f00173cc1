import LatticeTransport

extension EventLoop {
    /// Reads values that belong to the event loop, one for each element.
    ///
    /// A tick reads at most 32 of them, and no further one after values with a size of 4,096, which mostly takes some
    /// microseconds. So nothing waits for a long list.
    ///
    /// - Parameter size: Returns the size of a value that can be large.
    func gather<Element: Sendable, Value: Sendable>(
        _ elements: [Element],
        size: @escaping @Sendable (Value) -> Int = { _ in 1 },
        _ read: @escaping @Sendable (Element) -> Value
    ) async -> [Value] {
        let (chunk, maximumSize) = (32, 4096)
        var values: [Value] = []
        values.reserveCapacity(elements.count)
        while values.count < elements.count {
            let part = elements[values.count..<min(values.count + chunk, elements.count)]
            values += await withCheckedContinuation { waiter in
                execute {
                    var (found, total): ([Value], Int) = ([], 0)
                    for element in part where total < maximumSize {
                        found.append(read(element))
                        total += size(found[found.count - 1])
                    }
                    waiter.resume(returning: found)
                }
            }
        }
        return values
    }
}
