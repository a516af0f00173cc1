/// What it costs to copy the collections in a state, of which a change copies those that somebody else refers to.
enum CopyCost {
    /// Bytes; what is retained one by one counts for more. Copying less takes a fraction of a microsecond.
    static let limit = 4_096
    private static let costOfReference = 64
    /// Structures are looked into no deeper than this, and at no more than so many of their parts.
    private static let depth = 4
    private static let parts = 64

    /// Whether one of the collections in the state is large. Takes microseconds: not for every turn.
    static func isHigh(of state: some Any) -> Bool {
        isHigh(of: state, depth: depth)
    }

    private static func isHigh(of value: Any, depth: Int) -> Bool {
        // A copy refers to the same object, and others may be changing what is in it.
        guard !(type(of: value) is any AnyObject.Type) else { return false }
        // Not its characters, which would have to be counted.
        if let text = value as? String { return text.utf8.count > limit }
        if let collection = value as? any Collection { return isLarge(collection) }
        guard depth > 0 else { return false }
        return Mirror(reflecting: value).children.prefix(parts).contains { isHigh(of: $0.value, depth: depth - 1) }
    }

    private static func isLarge<C: Collection>(_ collection: C) -> Bool {
        let stride = MemoryLayout<C.Element>.stride
        let each = _isPOD(C.Element.self) ? stride : max(stride, costOfReference)
        return collection.underestimatedCount > limit / each
    }
}
