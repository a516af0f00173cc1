/// The error of a round that could not be run.
struct ChaosError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
