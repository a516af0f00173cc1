import LatticeCore

/// A path as the key of a state. Each byte of the path is a character of the text, because paths need not be UTF-8.
package struct PathKey: RawRepresentable, StateKey {
    /// The text, in which each character stands for one byte of the path.
    package let rawValue: String

    /// Creates a key from its text.
    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Creates a key from the bytes of a path.
    package init(_ path: [UInt8]) {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: path.lazy.map { Unicode.Scalar($0) })
        rawValue = String(text)
    }

    /// The bytes of the path. If the text was not created from a path, they have no meaning.
    package var path: [UInt8] { rawValue.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } }
}
