/// Something that goes wrong.
///
/// ```swift
/// FaultPlan([.reading(at: 600, .kill), .writing(at: 300, .cut, on: 1), .start(2, .crash)])
/// ```
public enum Fault: Sendable, Hashable, Codable {
    /// At one place in the bytes of a connection.
    case connection(ConnectionFault)
    /// At one start of a worker.
    case launch(LaunchFault)

    /// On a connection, before the byte behind so many others that are read.
    public static func reading(at place: UInt64, _ kind: ConnectionFault.Kind, on connection: Int = 0) -> Fault {
        .connection(ConnectionFault(.reading, at: place, kind, on: connection))
    }

    /// On a connection, before the byte behind so many others that are written.
    public static func writing(at place: UInt64, _ kind: ConnectionFault.Kind, on connection: Int = 0) -> Fault {
        .connection(ConnectionFault(.writing, at: place, kind, on: connection))
    }

    /// At the start of a worker with this number, from 0.
    public static func start(_ start: Int, _ kind: LaunchFault.Kind) -> Fault {
        .launch(LaunchFault(start: start, kind))
    }
}

extension Fault: CustomStringConvertible {
    public var description: String {
        switch self {
        case .connection(let fault): fault.description
        case .launch(let fault): fault.description
        }
    }
}
