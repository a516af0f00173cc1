package import LatticeCalls
import LatticeCoding
package import LatticeWire

/// The identity of an actor: its process, and its number in that process.
///
/// An identity belongs to one incarnation of a process. When a worker is started again, its actors have other
/// identities.
///
/// An identity is a value. It can be part of an action or a state, and it can be stored. `Act.resolve(id:using:)`
/// returns a reference to its actor. Two identities are equal if they name the same actor, even if their descriptions
/// differ.
public struct LatticeActorID: Hashable, Sendable, Codable, CustomStringConvertible {
    private enum CodingKeys: String, CodingKey {
        case node, actor, name, incarnation, title, table
    }

    /// The process in which the actor lives.
    package let node: NodeID
    /// The number of the actor in its process. The first actor has the number 1.
    public let number: UInt64
    /// The name under which the actor was found, or nil if it was not looked up by a name.
    public let name: String?
    /// The incarnation of the worker in which the actor lives, or 0 if its process is not a worker.
    public let incarnation: UInt64
    /// A description of the process, such as `worker "thumbnails" (process 812)`.
    public let process: String
    /// A Boolean value that indicates whether the actor has a table of stable names, by which it is then called.
    /// Equality ignores this value.
    var hasTable = false
    /// A Boolean value that indicates whether calls of a reference with this identity return without waiting for their
    /// answers. Equality ignores this value.
    var isOneWay = false
    /// Counts the calls of a reference with this identity that continue although no caller waits for them. Equality
    /// ignores this value.
    var tracker: CallTracker?

    /// Creates an identity from its parts.
    package init(node: NodeID, number: UInt64, name: String?, incarnation: UInt64, process: String) {
        self.node = node
        self.number = number
        self.name = name
        self.incarnation = incarnation
        self.process = process
    }

    /// Creates the identity of an actor from the place that a node reported. Returns nil if the place names no valid
    /// node.
    package init?(_ place: ActorPlace, name: String) {
        guard let node = NodeID(place.node) else { return nil }
        self.init(
            node: node,
            number: place.actor,
            name: name,
            incarnation: place.incarnation,
            process: place.title
        )
    }

    /// Returns whether two identities name the same actor. Only the processes and the numbers are compared.
    public static func == (left: LatticeActorID, right: LatticeActorID) -> Bool {
        left.node == right.node && left.number == right.number
    }

    /// Hashes the process and the number.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(node)
        hasher.combine(number)
    }

    /// A description such as `"thumbnailer" (actor 1 of the worker "thumbnails" (process 812), incarnation 2)`.
    public var description: String {
        let suffix = incarnation == 0 ? "" : ", incarnation \(incarnation)"
        let place = "actor \(number) of the \(process)\(suffix)"
        return name.map { "\"\($0)\" (\(place))" } ?? place
    }

    /// Decodes a map with the identifier of the process under "node" and the number under "actor".
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard let node = NodeID(try container.decode([UInt8].self, forKey: .node)) else {
            throw DecodingError.dataCorruptedError(
                forKey: .node,
                in: container,
                debugDescription: "The identifier of a process has \(UInt128.byteCount) bytes."
            )
        }
        self.init(
            node: node,
            number: try container.decode(UInt64.self, forKey: .actor),
            name: try container.decodeIfPresent(String.self, forKey: .name),
            incarnation: try container.decode(UInt64.self, forKey: .incarnation),
            process: try container.decode(String.self, forKey: .title)
        )
        hasTable = try container.decodeIfPresent(Bool.self, forKey: .table) ?? false
    }

    /// Encodes a map with the identifier of the process under "node" and the number under "actor". The name, if there
    /// is one, the incarnation and the description of the process follow.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(node.bytes, forKey: .node)
        try container.encode(number, forKey: .actor)
        try container.encodeIfPresent(name, forKey: .name)
        try container.encode(incarnation, forKey: .incarnation)
        try container.encode(process, forKey: .title)
        if hasTable { try container.encode(true, forKey: .table) }
    }
}
