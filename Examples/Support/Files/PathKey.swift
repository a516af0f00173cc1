import LatticeCore

/// A path as the key of a state: each byte is a character of the text. What the file system has need not be UTF-8.
package struct PathKey: RawRepresentable, StateKey {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    package init(_ path: [UInt8]) {
        var text = String.UnicodeScalarView()
        text.append(contentsOf: path.lazy.map { Unicode.Scalar($0) })
        rawValue = String(text)
    }

    /// The bytes. A text that is none of a path has others.
    package var path: [UInt8] { rawValue.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } }
}
