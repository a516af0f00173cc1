/// A key of a ``StateDictionary``, or an `id` of the elements of a ``StateList``: a string, an integer, or a type that
/// wraps one of them.
///
/// A key is encoded as text, like the keys of a `Dictionary` with strings or integers. Keys are sorted by that text, in
/// an order that is the same in every process: a shorter text precedes a longer one, and texts of the same length are
/// in the order of their bytes (RFC 8949 section 4.2.1). Positive integers are therefore in their usual order.
///
/// Two strings are the same key only if their bytes are the same, even where `==` finds them equal. For example, "é" as
/// one character and "é" as a letter with an accent are two keys, as they are two file names. This rule holds wherever
/// keys and ids are compared.
///
/// A type of your own uses the key that it wraps:
///
/// ```swift
/// struct CardID: RawRepresentable, StateKey {
///     let rawValue: Int
/// }
/// ```
public protocol StateKey: _TreeKey, Hashable, Codable {
    /// The text of the key in its encoded form.
    var keyText: String { get }

    /// Creates a key from its text, or returns nil if the text is not the text of a key.
    init?(keyText: String)
}

extension StateKey {
    /// Returns whether one key precedes another, according to their texts.
    public static func _precedes(_ first: Self, _ second: Self) -> Bool {
        String._precedes(first.keyText, second.keyText)
    }
}

extension StateKey where Self: RawRepresentable, RawValue: StateKey {
    /// The text of the raw value.
    @inlinable public var keyText: String { rawValue.keyText }

    /// Creates a key from the text of its raw value.
    @inlinable
    public init?(keyText: String) {
        guard let rawValue = RawValue(keyText: keyText) else { return nil }
        self.init(rawValue: rawValue)
    }

    /// Returns whether the first raw value precedes the second one.
    @inlinable
    public static func _precedes(_ first: Self, _ second: Self) -> Bool {
        RawValue._precedes(first.rawValue, second.rawValue)
    }
}

extension String: StateKey {
    /// The string itself.
    @inlinable public var keyText: String { self }

    /// Creates a string from its text.
    @inlinable
    public init?(keyText: String) { self = keyText }

    /// Returns whether one string has fewer bytes in UTF-8 than the other, or as many bytes and the lower ones.
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

/// An integer that is used as a key.
public protocol _IntegerStateKey: StateKey, FixedWidthInteger where Magnitude: FixedWidthInteger {}

extension _IntegerStateKey {
    /// The integer in decimal digits.
    @inlinable public var keyText: String { String(self) }

    /// Creates an integer from its decimal digits, or returns nil for any other text.
    @inlinable
    public init?(keyText: String) {
        // Only the exact encoded text is accepted: no plus sign and no leading zeros.
        guard let number = Self(keyText), String(number) == keyText else { return nil }
        self = number
    }

    /// Returns whether the text of the first integer precedes that of the second one, without creating the texts.
    @inlinable
    public static func _precedes(_ first: Self, _ second: Self) -> Bool {
        // If both are positive, as nearly all keys are, the order of the numbers is the order of their texts.
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
