import LatticeConcurrency

/// Whether two values hold the same, with nothing left out. `==` may leave out a part, and takes a text in another
/// normal form, or a zero with another sign, for the same.
///
/// - Returns: False also where that cannot be found out, as of two objects.
@inlinable
func hasSameContent<Value>(_ one: Value, _ other: Value) -> Bool {
    _$hasSameBits(one, other) || hasSameParts(one, other)
}

/// The same for values whose bits differ, as those of two copies of a long text do.
@usableFromInline
func hasSameParts<Value>(_ one: Value, _ other: Value) -> Bool {
    withUnsafePointer(to: one) { one in
        withUnsafePointer(to: other) { ValueParts.of(Value.self).areSame(one, $0) }
    }
}

/// What values of a type are made of. Found once for each type of the program: to ask the runtime takes as long as to
/// encode a small value.
private final class ValueParts: @unchecked Sendable {
    // Unchecked: never changed, and of the types nothing is called but a comparison.

    private enum Part {
        case bits(Range<Int>)
        case content(offset: Int, any ComparedContent.Type)
    }

    private static let known = Locked<[ObjectIdentifier: ValueParts]>([:])

    private let parts: [Part]

    static func of(_ type: Any.Type) -> ValueParts {
        let identifier = ObjectIdentifier(type)
        if let parts = known.withLock({ $0[identifier] }) { return parts }
        let parts = ValueParts(parts(in: type, at: 0))
        known.withLock { $0[identifier] = parts }
        return parts
    }

    private init(_ parts: [Part]) {
        self.parts = parts
    }

    private static func parts(in type: Any.Type, at offset: Int) -> [Part] {
        if let type = type as? any ComparedContent.Type { return [.content(offset: offset, type)] }
        let properties = StoredProperties(of: type).flatMap { property -> [Part] in
            let place = offset + property.offset
            if property.isStrong { return parts(in: property.type, at: place) }
            // Of a `weak` one only the bits can be looked at: it is no optional where it is stored.
            return [.bits(place..<place + size(of: property.type))]
        }
        return properties.isEmpty ? [.bits(offset..<offset + size(of: type))] : properties
    }

    private static func size<Value>(of type: Value.Type) -> Int { MemoryLayout<Value>.size }

    func areSame(_ one: UnsafeRawPointer, _ other: UnsafeRawPointer) -> Bool {
        parts.allSatisfy { part in
            switch part {
            case .bits(let range):
                UnsafeRawBufferPointer(start: one + range.lowerBound, count: range.count)
                    .hasSameBits(as: UnsafeRawBufferPointer(start: other + range.lowerBound, count: range.count))
            case .content(let offset, let type): type.haveSameContent(one + offset, other + offset)
            }
        }
    }
}

/// A type whose values may hold the same where their bits differ.
private protocol ComparedContent {
    /// - Parameters: Where two values of this type are.
    static func haveSameContent(_ one: UnsafeRawPointer, _ other: UnsafeRawPointer) -> Bool
}

extension String: ComparedContent {
    fileprivate static func haveSameContent(_ one: UnsafeRawPointer, _ other: UnsafeRawPointer) -> Bool {
        one.assumingMemoryBound(to: String.self).pointee
            .hasSameBytes(as: other.assumingMemoryBound(to: String.self).pointee)
    }
}

extension Optional: ComparedContent {
    fileprivate static func haveSameContent(_ one: UnsafeRawPointer, _ other: UnsafeRawPointer) -> Bool {
        switch (one.assumingMemoryBound(to: Self.self).pointee, other.assumingMemoryBound(to: Self.self).pointee) {
        case (nil, nil): true
        case (let one?, let other?): hasSameContent(one, other)
        default: false
        }
    }
}

extension Array: ComparedContent {
    fileprivate static func haveSameContent(_ one: UnsafeRawPointer, _ other: UnsafeRawPointer) -> Bool {
        let one = one.assumingMemoryBound(to: Self.self).pointee
        let other = other.assumingMemoryBound(to: Self.self).pointee
        guard one.count == other.count else { return false }
        if one.hasStorage(of: other) { return true }
        let parts = ValueParts.of(Element.self)
        return one.withUnsafeBytes { one in
            other.withUnsafeBytes { other in
                guard let first = one.baseAddress, let otherFirst = other.baseAddress else { return true }
                return stride(from: 0, to: one.count, by: MemoryLayout<Element>.stride)
                    .allSatisfy { parts.areSame(first + $0, otherFirst + $0) }
            }
        }
    }
}
