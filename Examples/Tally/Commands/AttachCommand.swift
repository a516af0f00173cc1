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
        abstract: "Shows the progress of a running tally, or sends it an event.",
        discussion: "Example: tally attach --send pause"
    )

    @Argument(help: "The socket that the tally printed. Default: this user's newest tally.")
    var socket: String?

    @Option(help: "Send this event and print its outcome instead of showing the progress.")
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
