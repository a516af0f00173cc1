/// Loads the texts of a large dictionary or set shortly before a loop comes to them.
///
/// They lie anywhere in memory, and who copies a text waits for it, one text after the other, because its references
/// are counted. Here many are waited for at a time: to encode a dictionary of 10 MB took twice as long without it.
struct DistantLoader<Iterator: DistantIterator> {
    /// So many at a time: as many as a processor may well load at once.
    private static var stride: Int { 16 }

    private var ahead: Iterator
    private var left = 0
    /// Made of what was loaded, so that the compiler does not leave loading out. Nobody reads it.
    private(set) var bits: UInt8 = 0

    /// - Parameter ahead: what the loop goes over, from its start.
    @inline(__always)
    init(_ ahead: Iterator) {
        self.ahead = ahead
    }

    /// The loop comes to the next element.
    @inline(__always)
    mutating func step() {
        if left == 0 { load() }
        left -= 1
    }

    @inline(never)
    private mutating func load() {
        left = Self.stride
        for _ in 0..<Self.stride {
            guard let element = ahead.next() else { return }
            bits |= Iterator.distantByte(of: element)
        }
    }
}

/// Goes over elements that may keep bytes elsewhere in memory.
protocol DistantIterator: IteratorProtocol {
    /// A byte of what the element keeps elsewhere. A call that the compiler does not see through would copy the element
    /// first, and so wait for it.
    static func distantByte(of element: Element) -> UInt8
}

extension Dictionary.Iterator: DistantIterator where Key: CodablePrimitive, Value: CodablePrimitive {
    @inline(__always)
    static func distantByte(of element: Element) -> UInt8 { element.key.distantByte | element.value.distantByte }
}

extension Set.Iterator: DistantIterator where Element: CodablePrimitive {
    @inline(__always)
    static func distantByte(of element: Element) -> UInt8 { element.distantByte }
}
