/// Why there is nothing to count or nobody to attach to.
struct TallyError: Error, CustomStringConvertible {
    /// Wrong use.
    static let exitCode: Int32 = 2

    let description: String

    init(_ description: String) {
        self.description = description
    }
}
