import LatticeConcurrency

/// Returns whether two values are identical in all their parts. `==` can ignore a part. It also finds strings in
/// different Unicode normal forms equal, and a positive and a negative zero.
///
/// - Returns: False also if the comparison is not possible, for example for two objects.
@inlinable
func hasSameContent<Value>(_ one: Value, _ other: Value) -> Bool {
    _$hasSameBits(one, other) || hasSameParts(one, other)
}

/// Returns whether two values with different bits are identical, such as two copies of a long string.
@usableFromInline
func hasSameParts<Value>(_ one: Value, _ other: Value) -> Bool {
    withUnsafePointer(to: one) { one in
        withUnsafePointer(to: other) { ValueParts.of(Value.self).areSame(one, $0) }
    }
}

/// The parts of the values of a type. They are determined once for each type, because asking the runtime takes as long
/// as encoding a small value.
private final class ValueParts: @unchecked Sendable {
    // Unchecked because it is immutable, and only a comparison is called on the types.

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
            // A `weak` property can only be compared by its bits, because it is not stored as an optional.
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

/// A type whose values can be identical although their bits differ.
private protocol ComparedContent {
    /// Returns whether the values at two addresses are identical.
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
