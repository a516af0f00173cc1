import ArgumentParser
import ExampleSupport

/// `checksums attach`.
struct AttachCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "attach",
        abstract: "Shows the progress of a running job.",
        discussion: "Example: checksums attach"
    )

    @Argument(help: "The socket that the job printed. Default: this user's newest job.")
    var socket: String?

    @MainActor func run() async throws {
        try await JobAttachment(program: "checksums", job: "job", socket: socket).show(ChecksumsFeature.self)
    }
}
