import ArgumentParser
import ExampleSupport
import Glibc
import LatticeClient
import LatticeCore

/// `tally attach`.
struct AttachCommand: AsyncParsableCommand {
    enum Event: String, ExpressibleByArgument, CaseIterable {
        case pause, resume, cancel

        var action: TallyAction {
            switch self {
            case .pause: .pause
            case .resume: .resume
            case .cancel: .cancel
            }
        }
    }

    static let configuration = CommandConfiguration(
        commandName: "attach",
        abstract: "Shows the progress of a running tally, or sends it an event."
    )

    @Argument(help: "The socket that the tally printed. Default: the newest one of this user.")
    var socket: String?

    @Option(help: "Send this event and report its outcome instead of showing progress.")
    var send: Event?

    @MainActor func run() async throws {
        for candidate in try socket.map({ [$0] }) ?? SocketDirectory.newestFirst() {
            do {
                return try await attach(candidate)
            } catch let error as ClientError where error.code == .connecting && socket == nil {
                // Left over from a tally that was killed.
                continue
            } catch let error as ClientError {
                throw ProgramError(error.message)
            }
        }
        throw ProgramError("no tally of this user is running (looked in \(try SocketDirectory.path()))")
    }

    @MainActor private func attach(_ socket: String) async throws {
        try await withClient(connectingTo: socket) { client in
            let viewModel = try await client.viewModel(TallyFeature.self)
            if let send {
                try await report(send, to: viewModel)
            } else {
                StatusLine.say("socket \(socket)")
                await ProgressDisplay(viewModel).run()
            }
        }
    }

    @MainActor private func report(_ event: Event, to viewModel: ViewModel<TallyFeature>) async throws {
        let outcome = await viewModel.sendViewEvent(event.action).finish()
        Console.output.say("\(event.rawValue): \(outcome)")
        try Console.output.finish(StatusLine.sayNotWritten)
        if outcome != .finished { throw ExitCode(1) }
    }
}
