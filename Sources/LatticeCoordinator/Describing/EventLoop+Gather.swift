import LatticeTransport

extension EventLoop {
    /// Reads values that belong to the event loop, one for each element.
    ///
    /// A tick reads at most 32 of them, which mostly takes some microseconds, so that nothing waits for a long list.
    func gather<Element: Sendable, Value: Sendable>(
        _ elements: [Element],
        _ read: @escaping @Sendable (Element) -> Value
    ) async -> [Value] {
        let chunk = 32
        var values: [Value] = []
        values.reserveCapacity(elements.count)
        for start in stride(from: 0, to: elements.count, by: chunk) {
            let part = elements[start..<min(start + chunk, elements.count)]
            values += await withCheckedContinuation { waiter in
                execute { waiter.resume(returning: part.map(read)) }
            }
        }
        return values
    }
}
