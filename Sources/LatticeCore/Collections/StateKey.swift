/// What a ``StateDictionary`` may have as keys, and the elements of a ``StateList`` as `id`: text, integers, and what
/// is made of one of them.
///
/// A key is encoded as text, as the keys of a `Dictionary` with texts or integers are. Keys are in the order of that
/// text, which is the same in every process: a shorter one goes before a longer one, and of two with the same length
/// the one with the lower bytes (RFC 8949 section 4.2.1). So positive integers are in their usual order.
///
/// Two texts are the same key if their bytes are the same, whatever `==` says: "é" as one character and "é" as a letter
/// with an accent are two keys, as they are two files. This holds wherever keys and ids are compared.
///
/// A type of your own takes the key that it is made of:
///
/// ```swift
/// struct CardID: RawRepresentable, StateKey {
///     let rawValue: Int
/// }
/// ```
public protocol StateKey: _TreeKey, Hashable, Codable {
    /// The key where it is encoded.
    var keyText: String { get }

    /// - Returns: Nil if the text is that of no key.
    init?(keyText: String)
}

extension StateKey {
    /// As the order of the texts says.
    public static func _precedes(_ first: Self, _ second: Self) -> Bool {
        String._precedes(first.keyText, second.keyText)
    }
}

extension StateKey where Self: RawRepresentable, RawValue: StateKey {
    @inlinable public var keyText: String { rawValue.keyText }

    @inlinable
    public init?(keyText: String) {
        guard let rawValue = RawValue(keyText: keyText) else { return nil }
        self.init(rawValue: rawValue)
    }

    @inlinable
    public static func _precedes(_ first: Self, _ second: Self) -> Bool {
        RawValue._precedes(first.rawValue, second.rawValue)
    }
}

extension String: StateKey {
    @inlinable public var keyText: String { self }

    @inlinable
    public init?(keyText: String) { self = keyText }

    @inlinable
    public static func _precedes(_ first: String, _ second: String) -> Bool {
        let (firstCount, secondCount) = (first.utf8.count, second.utf8.count)
        guard firstCount == secondCount else { return firstCount < secondCount }
        let precedes = first.utf8.withContiguousStorageIfAvailable { one in
            second.utf8.withContiguousStorageIfAvailable { two in
                for index in 0..<firstCount where one[index] != two[index] { return one[index] < two[index] }
                return false
            }
        }
        return (precedes ?? nil) ?? first.utf8.lexicographicallyPrecedes(second.utf8)
    }
}

/// An integer as a key.
public protocol _IntegerStateKey: StateKey, FixedWidthInteger where Magnitude: FixedWidthInteger {}

extension _IntegerStateKey {
    @inlinable public var keyText: String { String(self) }

    @inlinable
    public init?(keyText: String) {
        // Nothing but the text that it has where it is encoded, so no plus and no zeros in front.
        guard let number = Self(keyText), String(number) == keyText else { return nil }
        self = number
    }

    @inlinable
    public static func _precedes(_ first: Self, _ second: Self) -> Bool {
        // Both positive, as nearly all keys are: their order is that of their texts.
        if first >= 0, second >= 0 { return first < second }
        let (firstLength, secondLength) = (first.textLength, second.textLength)
        if firstLength != secondLength { return firstLength < secondLength }
        if (first < 0) != (second < 0) { return first < 0 }
        return first.magnitude < second.magnitude
    }

    @inlinable var textLength: Int {
        var length = self < 0 ? 2 : 1
        var rest = magnitude / 10
        while rest > 0 {
            length += 1
            rest /= 10
        }
        return length
    }
}

extension Int: _IntegerStateKey {}
extension Int8: _IntegerStateKey {}
extension Int16: _IntegerStateKey {}
extension Int32: _IntegerStateKey {}
extension Int64: _IntegerStateKey {}
extension UInt: _IntegerStateKey {}
extension UInt8: _IntegerStateKey {}
extension UInt16: _IntegerStateKey {}
extension UInt32: _IntegerStateKey {}
extension UInt64: _IntegerStateKey {}
