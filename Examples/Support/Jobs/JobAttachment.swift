import LatticeClient
package import LatticeCore

/// The view of a job from another terminal.
package struct JobAttachment: Sendable {
    /// Whose job it is.
    private let program: String
    /// What it does, for people: "tally".
    private let job: String
    /// Where it is; nil: the newest one of this user.
    private let socket: String?

    package init(program: String, job: String, socket: String?) {
        self.program = program
        self.job = job
        self.socket = socket
    }

    /// Runs `body` with the view model of the job and the socket that it was found at.
    ///
    /// - Throws: ``ProgramError`` if no such job is running; what `body` throws.
    @MainActor package func run<Feature: HostedFeature>(
        _ feature: Feature.Type,
        _ body: @MainActor @Sendable (ViewModel<Feature>, String) async throws -> Void
    ) async throws {
        let directory = try SocketDirectory(of: program)
        for candidate in socket.map({ [$0] }) ?? directory.newestFirst() {
            do {
                return try await withClient(connectingTo: candidate) { client in
                    try await body(try await client.viewModel(feature), candidate)
                }
            } catch let error as ClientError where error.code == .connecting && socket == nil {
                // Left over from one that was killed.
                continue
            } catch let error as ClientError {
                throw ProgramError(error.message)
            }
        }
        throw ProgramError("no \(job) of this user is running (looked in \(directory.path))")
    }

    /// Shows the progress of the job to its end.
    @MainActor package func show<Feature: HostedFeature>(_ feature: Feature.Type) async throws
    where Feature.ViewState: JobProgress {
        try await run(feature) { viewModel, socket in
            StatusLine.say("socket \(socket)")
            await ProgressDisplay(viewModel).run()
        }
    }
}
