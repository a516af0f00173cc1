import ArgumentParser
import LatticeControl

/// The options that choose a coordinator.
struct CoordinatorSelection: ParsableArguments {
    @Option(
        name: [.short, .long],
        help: "The process ID or the program of a coordinator. (default: the only one that runs)"
    )
    var coordinator: String?

    @Option(help: "The path of a coordinator's socket.")
    var socket: String?

    @Option(help: "The seconds to wait for an answer.")
    var timeout: Double = 5

    var patience: Duration { .seconds(timeout) }

    func validate() throws {
        try Self.validate(timeout: timeout)
        guard coordinator == nil || socket == nil else {
            throw ValidationError("Give either --coordinator or --socket.")
        }
    }

    static func validate(timeout: Double) throws {
        guard 0.01...3600 ~= timeout else { throw ValidationError("--timeout has to be 0.01 to 3600.") }
    }

    /// Returns the path of the socket of the chosen coordinator.
    ///
    /// - Throws: `ControlFailure` if there is none, or more than one.
    func path() async throws -> String {
        if let socket { return socket }
        let found = await RunningCoordinator.find(at: CoordinatorSockets.paths, timeout: patience)
        return try RunningCoordinator.choose(coordinator, among: found).path
    }
}
