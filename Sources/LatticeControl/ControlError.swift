import LatticeSession
import LatticeTransport
import LatticeWire

/// The error of a tool that cannot look into a coordinator.
public struct ControlError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of a ``ControlError``. Later versions may add codes.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The name of the code, such as "unreachable".
        public let description: String

        /// No coordinator listens at the path, it cannot be reached, or it has ended.
        public static let unreachable = Code(description: "unreachable")
        /// The coordinator does not answer in time: it is suspended or hangs.
        public static let silent = Code(description: "silent")
        /// The coordinator refuses the tool, or does not permit it to look or to act.
        public static let refused = Code(description: "refused")
        /// The coordinator does not understand the request, because it is older than this program.
        public static let unsupported = Code(description: "unsupported")
        /// The coordinator has no such section.
        public static let unknownSection = Code(description: "unknownSection")
        /// The section cannot be sorted by this key.
        public static let unknownSortKey = Code(description: "unknownSortKey")
        /// The worker, the group or the event that an act names does not exist.
        public static let notFound = Code(description: "notFound")
        /// An act is not possible in the present state of its subject.
        public static let notPossible = Code(description: "notPossible")
        /// Too many requests are not answered yet.
        public static let busy = Code(description: "busy")
        /// A row is too large for an answer.
        public static let tooLarge = Code(description: "tooLarge")
        /// An argument is invalid.
        public static let invalid = Code(description: "invalid")
        /// The answer cannot be read, or has a code that this version does not know.
        public static let unreadable = Code(description: "unreadable")
    }

    /// The kind of the error.
    public let code: Code
    /// A description of what happened and what to do about it, in full sentences.
    public let message: String
    /// The error that caused this one, or nil. It is ignored when errors are compared.
    public let cause: (any Error)?

    /// The message.
    public var description: String { message }

    /// Returns whether the codes and the messages are equal. The causes are ignored.
    public static func == (left: ControlError, right: ControlError) -> Bool {
        left.code == right.code && left.message == right.message
    }

    private init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }
}

// All errors are made here, so that their sentences are consistent.

extension ControlError {
    /// Creates the error for a socket to which no connection can be made.
    static func connecting(_ path: String, _ error: TransportError) -> ControlError {
        let code: Code =
            switch error.code {
            case .busy: .silent
            case .wrongUser, .unsafePath: .refused
            case .invalidPath: .invalid
            default: .unreachable
            }
        return ControlError(code, "\"\(path)\" cannot be looked into. \(error)", cause: error)
    }

    /// Creates the error for a session that ended before or during a request.
    static func ended(_ path: String, _ error: SessionError?, asked: Bool) -> ControlError {
        let subject = "The coordinator at \"\(path)\""
        guard let error else {
            return ControlError(.unreachable, "\(subject) has ended. Start it again.")
        }
        switch error.code {
        case .refused where error.refusal == .timeout: return silent(path, cause: error)
        case .refused, .foreign:
            return ControlError(.refused, "\(subject) refused this tool: \(sentence(error.detail))", cause: error)
        case .timeout: return silent(path, cause: error)
        case .goodbye where asked && error.goodbye == .violation:
            return ControlError(
                .unsupported,
                "\(subject) does not understand the request, because its program has an older version of Lattice. Build"
                    + " it from the same source as this tool.",
                cause: error
            )
        default:
            return ControlError(
                .unreachable,
                "\(subject) has ended the session: \(sentence(error.message))",
                cause: error
            )
        }
    }

    /// Creates the error for a coordinator that does not answer.
    static func silent(_ path: String, within timeout: Duration? = nil, cause: (any Error)? = nil) -> ControlError {
        let time = timeout.map { "within \($0)" } ?? "in time"
        return ControlError(
            .silent,
            "The coordinator at \"\(path)\" does not answer \(time). It is suspended or hangs. Look at its process, or"
                + " end it.",
            cause: cause
        )
    }

    /// Creates the error that an answer contains.
    static func answered(_ answer: DescriptionMessage) -> ControlError {
        let code: Code =
            switch answer.code {
            case .unknownSection: .unknownSection
            case .unknownSortKey: .unknownSortKey
            case .refused: .refused
            case .busy: .busy
            case .tooLarge: .tooLarge
            default: .unreadable
            }
        return ControlError(code, answer.reason.isEmpty ? "The coordinator gives no reason." : answer.reason)
    }

    /// Creates the error for an act that was not done.
    static func answered(_ answer: OperatedMessage) -> ControlError {
        let code: Code =
            switch answer.code {
            case .unknownAct: .unsupported
            case .notFound: .notFound
            case .refused: .refused
            case .busy: .busy
            case .invalid: .invalid
            case .notPossible: .notPossible
            default: .unreadable
            }
        return ControlError(code, answer.reason.isEmpty ? "The coordinator gives no reason." : answer.reason)
    }

    /// Creates the error for a feature that the coordinator does not host.
    static func notHosted(_ feature: String, hosted: [String]) -> ControlError {
        let names = hosted.sorted().joined(separator: ", ")
        let advice = hosted.isEmpty ? "It hosts none." : "It hosts: \(names)."
        return ControlError(.notFound, "The coordinator hosts no feature \"\(feature)\". \(advice)")
    }

    /// Creates the error for a feature whose first state does not arrive.
    static func notOpened(_ feature: String, within timeout: Duration) -> ControlError {
        ControlError(
            .silent,
            "No state of \"\(feature)\" has arrived within \(timeout). Look at its worker with latticectl describe"
                + " workers."
        )
    }

    /// Creates the error for a question at a feature that was not opened to ask.
    static func asksNoQuestions(_ feature: String) -> ControlError {
        ControlError(.invalid, "\"\(feature)\" was not opened to ask. Open it with asksQuestions: true.")
    }

    /// Creates the error for a coordinator that takes no questions.
    static func answersNoQuestions(_ path: String) -> ControlError {
        ControlError(
            .unsupported,
            "The coordinator at \"\(path)\" takes no questions, because its program has an older version of Lattice."
                + " Build it from the same source as this tool."
        )
    }

    /// Creates the error for a feature that the coordinator does not open, or has closed.
    static func closed(_ feature: String, _ end: ChannelEnd) -> ControlError {
        let code: Code = end.refusal == .unknownFeature ? .notFound : end.refusal == .role ? .refused : .notPossible
        return ControlError(code, "\"\(feature)\" is not open: \(sentence(end.reason))", cause: end)
    }

    /// Creates the error for rows that are no array of maps.
    static func unreadable(_ error: any Error) -> ControlError {
        ControlError(
            .unreadable,
            "The answer of the coordinator cannot be read: \(error). Report this as an error of the coordinator's program.",
            cause: error
        )
    }

    /// Creates the error for a message of a subscription that does not continue the message before.
    static func unfitting(_ section: String) -> ControlError {
        ControlError(
            .unreadable,
            "A change of the section \"\(section)\" does not fit what the coordinator has sent before. Report this as an"
                + " error of the coordinator's program."
        )
    }

    /// Creates the error for an argument outside its range.
    static func invalid(_ message: String) -> ControlError { ControlError(.invalid, message) }

    /// Creates the error for a client with too many unanswered requests.
    static func tooMany(_ maximum: Int) -> ControlError {
        ControlError(.busy, "\(maximum) requests of this client are not answered yet, its maximum. Wait for an answer.")
    }

    /// Creates the error for a client with too many subscriptions.
    static func tooManySubscriptions(_ maximum: Int) -> ControlError {
        ControlError(.busy, "This client has \(maximum) subscriptions, its maximum. End one of them.")
    }

    /// Returns a text with a full stop.
    private static func sentence(_ text: String) -> String { text.hasSuffix(".") ? text : text + "." }
}
