/// One thing to do.
struct Todo: Codable, Equatable, Sendable, Identifiable {
    /// The longest title, in Unicode scalars: what is longer is cut. A character has no bound of its own.
    static let longestTitle = 200

    /// Never given twice, so that two terminals mean the same one whatever the other does meanwhile.
    let id: Int
    var title: String
    var isDone = false

    /// What a typed text is as a title: nil if nothing of it can be seen.
    ///
    /// Control characters go: another terminal is to show the title, not to obey it.
    static func title(from text: String) -> String? {
        let shown = String(String.UnicodeScalarView(text.unicodeScalars.map { isControl($0) ? " " : $0 }))
        let words = shown.split(whereSeparator: \.isWhitespace)
        let title = String(words.joined(separator: " ").unicodeScalars.prefix(longestTitle))
        return title.isEmpty ? nil : title
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        default: false
        }
    }
}
