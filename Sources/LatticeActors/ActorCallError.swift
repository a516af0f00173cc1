public import Distributed
import LatticeWire

/// Why a call of an actor has no answer of its method.
///
/// What the method itself throws arrives as it is if both sides have registered its type
/// (``LatticeActorSystem/register(errors:)``), and otherwise as ``Code/threw`` with nothing but the type's name.
public struct ActorCallError: DistributedActorSystemError, Sendable, CustomStringConvertible {
    /// What kind of thing went wrong.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        public let rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// Nobody serves the name, and nobody began to in time.
        public static let unknownName = Code(rawValue: "unknownName")
        /// The actor has ended.
        public static let unknownActor = Code(rawValue: "unknownActor")
        /// The process has ended, or never was there.
        public static let unknownProcess = Code(rawValue: "unknownProcess")
        /// The actor has no such method: the two programs are built from different sources.
        public static let unknownMethod = Code(rawValue: "unknownMethod")
        /// The arguments cannot be read there, or the result here: the two programs are built from different sources.
        public static let undecodable = Code(rawValue: "undecodable")
        /// The arguments or the result cannot be encoded.
        public static let unencodable = Code(rawValue: "unencodable")
        /// The arguments or the result are larger than what is sent.
        public static let tooLarge = Code(rawValue: "tooLarge")
        /// Too much is under way already; wait for some of it to end.
        public static let overloaded = Code(rawValue: "overloaded")
        /// The deadline passed.
        public static let deadlinePassed = Code(rawValue: "deadlinePassed")
        /// The calling task was cancelled, and the method did not end in time; or the method was cancelled without it,
        /// as where its process is about to end.
        public static let cancelled = Code(rawValue: "cancelled")
        /// The actor's process has ended, or the connection to it was lost.
        public static let lost = Code(rawValue: "lost")
        /// The method threw an error that is not told.
        public static let threw = Code(rawValue: "threw")
        /// It makes no sense there; or only a later version knows what it is.
        public static let refused = Code(rawValue: "refused")

        public var description: String { rawValue }
    }

    /// What is known of the method that was called.
    public enum Delivery: String, Hashable, Sendable, CustomStringConvertible {
        /// It has not begun, and does not: to call it once more repeats nothing.
        case notSent
        /// It may have begun, and may have done anything.
        case mayHaveBegun

        public var description: String { rawValue }
    }

    /// What kind of thing went wrong.
    public let code: Code
    /// What happened and what to do, in a sentence.
    public let message: String
    /// Whether the method may have begun.
    public let delivery: Delivery
    /// The name of the type of the error that the method threw, for ``Code/threw``.
    public let errorType: String?
    /// What lies beneath, if anything.
    public let cause: (any Error)?
    /// Whose call it was; nil where it was none.
    var actor: LatticeActorID?

    init(
        _ code: Code,
        _ message: String,
        _ delivery: Delivery,
        errorType: String? = nil,
        cause: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.delivery = delivery
        self.errorType = errorType
        self.cause = cause
    }

    public var description: String {
        let rest = cause.map { " (cause: \($0))" } ?? ""
        return "\(message) [\(code), \(delivery)]\(rest)"
    }
}

extension ActorCallError {
    /// What a reply says that is no answer of the method.
    ///
    /// - Parameter call: The call, for people.
    init(_ reply: ActorReply, _ call: String) {
        let begun: Delivery = reply.mayHaveBegun ? .mayHaveBegun : .notSent
        let reason = reply.reason ?? "no reason was given"
        switch reply.code {
        case .failed:
            let type = reply.type ?? "an unknown type"
            self.init(
                .threw,
                "\(call) threw an error of the type \(type), which is not told; register the type on both sides",
                .mayHaveBegun,
                errorType: reply.type
            )
        case .returned, .threw, .unencodable:
            self.init(.unencodable, "\(call) has ended, and its result cannot be sent: \(reason)", .mayHaveBegun)
        case .cancelled:
            self.init(
                .cancelled,
                "\(call) was cancelled, and has not ended in time; it should look whether its task is cancelled",
                begun
            )
        case .tooLarge: self.init(.tooLarge, "\(call): \(reason)", begun)
        default:
            let advice = Self.advice(for: reply.code, begun).map { "; \($0)" } ?? ""
            self.init(Code(reply.code), "\(call): \(reason)\(advice)", begun)
        }
    }

    /// What to do next; nil: the reason says it.
    private static func advice(for code: ReplyCode, _ delivery: Delivery) -> String? {
        let condition = delivery == .mayHaveBegun ? ", if that does no harm" : ""
        return switch code {
        case .lost, .noActor: "look for the actor by its name again, and repeat the call\(condition)"
        case .noNode: "look for the actor by its name again, when there is a connection to the coordinator"
        case .deadline: "give it more time, or find out what keeps its process busy"
        default: nil
        }
    }

    /// The method has ended as one that was cancelled, and nobody here has cancelled it.
    static func cancelledThere(_ call: String, _ id: LatticeActorID) -> ActorCallError {
        var error = ActorCallError(
            .cancelled,
            "\(call) was cancelled in its own process, which is about to end, or by itself; call it again if that does no"
                + " harm",
            .mayHaveBegun
        )
        error.actor = id
        return error
    }

    static func undecodableResult(_ call: String, _ error: any Error) -> ActorCallError {
        ActorCallError(
            .undecodable,
            "\(call) has ended, and its result cannot be read; build both programs from the same source",
            .mayHaveBegun,
            cause: error
        )
    }

    static func unencodable(_ error: any Error) -> ActorCallError {
        ActorCallError(.unencodable, "an argument cannot be encoded", .notSent, cause: error)
    }
}

extension ActorCallError.Code {
    fileprivate init(_ code: ReplyCode) {
        self =
            switch code {
            case .noActor: .unknownActor
            case .noMethod: .unknownMethod
            case .undecodable: .undecodable
            case .overloaded: .overloaded
            case .deadline: .deadlinePassed
            case .lost: .lost
            case .noNode: .unknownProcess
            case .noName: .unknownName
            default: .refused
            }
    }
}
