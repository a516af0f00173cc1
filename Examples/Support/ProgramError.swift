/// The error of a program that cannot do what the user asked. The description is a sentence that says what to do.
package struct ProgramError: Error, Equatable, CustomStringConvertible {
    /// The exit code for wrong usage.
    package static let exitCode: Int32 = 2

    /// The sentence that the program prints.
    package let description: String

    /// Creates an error with a sentence.
    package init(_ description: String) {
        self.description = description
    }
}
