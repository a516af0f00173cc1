public import Distributed
import LatticeCalls
import LatticeWire

/// The reason why a call of an actor did not end with a result of its method.
///
/// An error that the method itself throws arrives as a value if both sides have registered its type
/// (``LatticeActorSystem/register(errors:)``). Otherwise it arrives as ``Code/threw`` with the name of its type only.
public struct ActorCallError: DistributedActorSystemError, Sendable, CustomStringConvertible {
    /// The kind of an ``ActorCallError``. Later versions may add codes.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the code, such as "lost".
        public let description: String

        /// No process serves the name, or none began to serve it in time.
        public static let unknownName = Code(description: "unknownName")
        /// The actor has ended.
        public static let unknownActor = Code(description: "unknownActor")
        /// The process has ended, or has never existed.
        public static let unknownProcess = Code(description: "unknownProcess")
        /// The actor has no such method. The two programs are built from different sources.
        public static let unknownMethod = Code(description: "unknownMethod")
        /// The actor's process cannot decode the arguments, or the caller cannot decode the result. The two programs
        /// are built from different sources.
        public static let undecodable = Code(description: "undecodable")
        /// The caller cannot encode the arguments, or the actor's process cannot encode the result.
        public static let unencodable = Code(description: "unencodable")
        /// The arguments or the result are larger than a message may be.
        public static let tooLarge = Code(description: "tooLarge")
        /// Too many calls or bytes are in progress already. Wait for some calls to end.
        public static let overloaded = Code(description: "overloaded")
        /// The deadline passed before the answer arrived.
        public static let deadlinePassed = Code(description: "deadlinePassed")
        /// The calling task was cancelled and the method did not end in time, or the method was cancelled although its
        /// caller was not, for example because its process is about to end.
        public static let cancelled = Code(description: "cancelled")
        /// The actor's process has ended, or the connection to it was lost.
        public static let lost = Code(description: "lost")
        /// The method threw an error whose type is not registered.
        public static let threw = Code(description: "threw")
        /// The call is not allowed in this way, or the receiver answered with a code that only a later version knows.
        public static let refused = Code(description: "refused")

        /// Creates a code from its name. Names come from other processes, which may be of a later version.
        package init(description: String) { self.description = description }
    }

    /// What the caller knows about the method that it called.
    public enum Delivery: String, Hashable, Sendable, CustomStringConvertible {
        /// The method has not begun and will not begin. You can repeat the call without running the method twice.
        case notSent
        /// The method may have begun, so any part of its work may have happened.
        case mayHaveBegun

        /// The name of the case.
        public var description: String { rawValue }
    }

    /// The kind of the error.
    public let code: Code
    /// A sentence that says what happened and what to do next.
    public let message: String
    /// A value that says whether the method may have begun.
    public let delivery: Delivery
    /// The name of the type of the error that the method threw, if the code is ``Code/threw``.
    public let errorType: String?
    /// The underlying error, if there is one.
    public let cause: (any Error)?
    /// The actor that was called, or nil if the error does not belong to a call.
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

    /// The message, the code and the delivery in brackets, and the underlying error if there is one.
    public var description: String {
        let rest = cause.map { " (cause: \($0))" } ?? ""
        return "\(message) [\(code), \(delivery)]\(rest)"
    }
}

extension ActorCallError {
    /// Creates an error from the failure of a call.
    ///
    /// - Parameter call: A description of the call for the message.
    init(_ failure: CallFailure, _ call: String) {
        let begun: Delivery = failure.mayHaveBegun ? .mayHaveBegun : .notSent
        let reason = failure.reason ?? "no reason was given"
        switch failure.code {
        case .failed:
            let type = failure.type ?? "an unknown type"
            self.init(
                .threw,
                "\(call) threw an error of the type \(type), which is not registered; register the type on both sides",
                .mayHaveBegun,
                errorType: failure.type
            )
        case .returned, .threw, .unencodable:
            self.init(.unencodable, "\(call) has ended, but its result cannot be sent: \(reason)", .mayHaveBegun)
        case .cancelled:
            self.init(
                .cancelled,
                "\(call) was cancelled, and its method did not end in time; have the method check whether its task is"
                    + " cancelled",
                begun
            )
        case .tooLarge: self.init(.tooLarge, "\(call): \(reason)", begun)
        default:
            let advice = Self.advice(for: failure.code, begun).map { "; \($0)" } ?? ""
            self.init(Code(failure.code), "\(call): \(reason)\(advice)", begun)
        }
    }

    /// Returns advice on what to do next, or nil if the reason already contains it.
    private static func advice(for code: ReplyCode, _ delivery: Delivery) -> String? {
        let condition = delivery == .mayHaveBegun ? ", if that does no harm" : ""
        return switch code {
        case .lost, .noActor: "look for the actor by its name again, and repeat the call\(condition)"
        case .noNode: "look for the actor by its name again, when there is a connection to the coordinator"
        case .deadline: "give it more time, or find out what keeps its process busy"
        default: nil
        }
    }

    /// Returns the error for a method that ended as cancelled although its caller did not cancel it.
    static func cancelledThere(_ call: String, _ id: LatticeActorID) -> ActorCallError {
        var error = ActorCallError(
            .cancelled,
            "\(call) was cancelled in its own process, which is about to end, or by itself; call it again if that does"
                + " no harm",
            .mayHaveBegun
        )
        error.actor = id
        return error
    }

    static func undecodableResult(_ call: String, _ error: any Error) -> ActorCallError {
        ActorCallError(
            .undecodable,
            "\(call) has ended, but its result cannot be decoded; build both programs from the same source",
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
