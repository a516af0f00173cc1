/// A key that no type declares: the place in an array, or the key of a super class's values.
struct CBORCodingKey: CodingKey {
    let index: Int?

    /// The place of an element.
    init(index: Int) {
        self.index = index
    }

    /// The key under which the values of a super class lie.
    static let superKey = CBORCodingKey()

    private init() {
        index = nil
    }

    init?(stringValue: String) {
        guard stringValue == "super" else { return nil }
        index = nil
    }

    init?(intValue: Int) {
        index = intValue
    }

    var stringValue: String { index.map { "Index \($0)" } ?? "super" }
    var intValue: Int? { index }
}
