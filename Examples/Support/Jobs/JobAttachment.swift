import LatticeClient
package import LatticeCore
import Logging

/// The connection to a job from another terminal.
package struct JobAttachment: Sendable {
    /// The program of the job.
    private let program: String
    /// The name of the job for messages, such as "tally".
    private let job: String
    /// The socket of the job, or nil for this user's newest one.
    private let socket: String?

    /// Creates an attachment. With a nil socket, it connects to this user's newest job.
    package init(program: String, job: String, socket: String?) {
        self.program = program
        self.job = job
        self.socket = socket
    }

    /// Runs `body` with the view model of the job and its socket.
    ///
    /// - Throws: ``ProgramError`` if no such job is running, and any error that `body` throws.
    @MainActor package func run<Feature: HostedFeature>(
        _ feature: Feature.Type,
        _ body: @MainActor @Sendable (ViewModel<Feature>, String) async throws -> Void
    ) async throws {
        let directory = try SocketDirectory(of: program)
        var configuration = ClientConfiguration()
        // Nothing is logged, because the display shows how the job ends.
        configuration.logger.logLevel = .critical
        for candidate in socket.map({ [$0] }) ?? directory.newestFirst() {
            do {
                return try await withClient(connectingTo: candidate, configuration: configuration) { client in
                    try await body(try await client.viewModel(feature), candidate)
                }
            } catch let error as ClientError where error.code == .connecting && socket == nil {
                // This socket is left from a job that was killed.
                continue
            } catch let error as ClientError {
                throw ProgramError(error.message)
            }
        }
        throw ProgramError("no \(job) of this user is running (looked in \(directory.path))")
    }

    /// Shows the progress of the job until it ends.
    @MainActor package func show<Feature: HostedFeature>(_ feature: Feature.Type) async throws
    where Feature.ViewState: ProgressViewState {
        try await run(feature) { viewModel, socket in
            StatusLine.say("socket \(socket)")
            await ProgressDisplay(viewModel).run()
        }
    }
}
