/// A program to be started, with what it is given.
package struct Program: Sendable {
    package var path: String
    /// With its own name first.
    package var arguments: [String]
    /// Variables that it has besides those of this process, or with other values.
    package var environment: [String: String]
    /// The variable that marks it and all that it starts, as `NAME=value`. What carries it is killed when the program
    /// has ended.
    package var lineage: String?

    package init(
        path: String,
        arguments: [String],
        environment: [String: String],
        lineage: String? = nil
    ) {
        self.path = path
        self.arguments = arguments
        self.environment = environment
        self.lineage = lineage
    }
}
