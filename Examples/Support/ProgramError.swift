/// Why a program cannot do what it was asked to, in a sentence that says what to do.
package struct ProgramError: Error, Equatable, CustomStringConvertible {
    /// Wrong use.
    package static let exitCode: Int32 = 2

    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
