/// An entry of the list.
struct Todo: Codable, Equatable, Sendable, Identifiable {
    /// The maximum length of a title in Unicode scalars. Longer titles are cut. A limit in characters would not bound
    /// the size, because a character can have any number of scalars.
    static let maximumTitle = 200

    /// An identifier that is never used twice, so that terminals always mean the same entry.
    let id: Int
    var title: String
    var isDone = false

    /// Returns a typed text as a title, or nil if it would be invisible.
    ///
    /// Control characters are removed, because other terminals would obey them.
    static func title(from text: String) -> String? {
        let shown = String(String.UnicodeScalarView(text.unicodeScalars.map { isControl($0) ? " " : $0 }))
        let words = shown.split(whereSeparator: \.isWhitespace)
        let title = String(words.joined(separator: " ").unicodeScalars.prefix(maximumTitle))
        return title.isEmpty ? nil : title
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
