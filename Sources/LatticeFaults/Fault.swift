/// A fault of a plan.
///
/// ```swift
/// FaultPlan([.reading(at: 600, .kill), .writing(at: 300, .cut, on: 1), .start(2, .crash)])
/// ```
public enum Fault: Sendable, Hashable, Codable {
    /// A fault at one place in the bytes of a connection.
    case connection(ConnectionFault)
    /// A fault at one start of a worker.
    case launch(LaunchFault)

    /// Returns a fault on a connection, before the byte after `place` others that are read.
    public static func reading(at place: UInt64, _ kind: ConnectionFault.Kind, on connection: Int = 0) -> Fault {
        .connection(ConnectionFault(.reading, at: place, kind, on: connection))
    }

    /// Returns a fault on a connection, before the byte after `place` others that are written.
    public static func writing(at place: UInt64, _ kind: ConnectionFault.Kind, on connection: Int = 0) -> Fault {
        .connection(ConnectionFault(.writing, at: place, kind, on: connection))
    }

    /// Returns a fault at the start of a worker with this number. The first start has the number 0.
    public static func start(_ start: Int, _ kind: LaunchFault.Kind) -> Fault {
        .launch(LaunchFault(start: start, kind))
    }
}

extension Fault: CustomStringConvertible {
    /// The description of the fault on the connection or at the start.
    public var description: String {
        switch self {
        case .connection(let fault): fault.description
        case .launch(let fault): fault.description
        }
    }
}
