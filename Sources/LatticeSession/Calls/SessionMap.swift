/// Values by sessions, of which a process has few, and the newest one has the highest number: to look for one takes
/// less than to hash its number.
struct SessionMap<Value> {
    /// Ascending.
    private(set) var keys: [SessionID] = []
    /// In the order of the keys; to be changed in place, and not in number.
    var values: [Value] = []

    /// Where the value is, until another one is added or removed.
    func index(forKey key: SessionID) -> Int? {
        let index = place(of: key)
        return index < keys.count && keys[index] == key ? index : nil
    }

    /// The first place whose key is not lower.
    private func place(of key: SessionID) -> Int {
        var (low, high) = (0, keys.count)
        while low < high {
            let middle = (low + high) / 2
            if keys[middle] < key { low = middle + 1 } else { high = middle }
        }
        return low
    }

    subscript(key: SessionID) -> Value? { index(forKey: key).map { values[$0] } }

    /// Changes a value in place.
    ///
    /// - Returns: nil: there is none.
    mutating func change<Result, Failure: Error>(
        _ key: SessionID,
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard let index = index(forKey: key) else { return nil }
        return try body(&values[index])
    }

    /// - Parameter key: One that is not there.
    mutating func insert(_ value: Value, forKey key: SessionID) {
        let index = place(of: key)
        keys.insert(key, at: index)
        values.insert(value, at: index)
    }

    @discardableResult
    mutating func removeValue(forKey key: SessionID) -> Value? {
        guard let index = index(forKey: key) else { return nil }
        keys.remove(at: index)
        return values.remove(at: index)
    }
}
