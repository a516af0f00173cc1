import ArgumentParser
import ExampleSupport
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
        let attachment = JobAttachment(program: "tally", job: "tally", socket: socket)
        guard let send else { return try await attachment.show(TallyFeature.self) }
        try await attachment.run(TallyFeature.self) { viewModel, _ in
            let outcome = await viewModel.sendViewEvent(send.action).finish()
            Console.output.say("\(send.rawValue): \(outcome)")
            try Console.output.finish { StatusLine.sayNotWritten($0, by: "tally") }
            if outcome != .finished { throw ExitCode(1) }
        }
    }
}
