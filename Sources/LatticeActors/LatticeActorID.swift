import LatticeCoding
package import LatticeSession
import LatticeWire

/// Which actor: the process that it lives in, and its number there. It names one life of one process: a worker that is
/// started again has actors with other identities.
///
/// It is a value, and may be part of an action or a state, or be written down: `Act.resolve(id:using:)` makes an actor
/// of it. Two are equal if they name the same actor, whatever they say of it for people.
public struct LatticeActorID: Hashable, Sendable, Codable, CustomStringConvertible {
    private enum CodingKeys: String, CodingKey {
        case node, actor, name, incarnation, title, table
    }

    package let node: NodeID
    /// Its number in its process, from 1 on.
    public let number: UInt64
    /// The name under which it was found; nil for one that was not looked up by a name.
    public let name: String?
    /// Which life of a worker its process is; 0 for processes that have no lives.
    public let incarnation: UInt64
    /// Its process, for people, such as `worker "thumbnails" (process 812)`.
    public let process: String
    /// Whether the actor has a table of stable names, by which it is called then. It is none of the identity's own.
    var hasTable = false
    /// Whether nobody waits for the answers to calls of a reference with it. It is none of the identity's own.
    var isOneWay = false
    /// Counts the calls of a reference with it that run on although no caller waits. It is none of the identity's own.
    var tracker: CallTracker?

    package init(node: NodeID, number: UInt64, name: String?, incarnation: UInt64, process: String) {
        self.node = node
        self.number = number
        self.name = name
        self.incarnation = incarnation
        self.process = process
    }

    /// What a node says of where an actor is; nil: it names no node.
    init?(_ place: ActorPlace, name: String) {
        guard let node = NodeID(place.node) else { return nil }
        self.init(
            node: node,
            number: place.actor,
            name: name,
            incarnation: place.incarnation,
            process: place.title
        )
    }

    public static func == (left: LatticeActorID, right: LatticeActorID) -> Bool {
        left.node == right.node && left.number == right.number
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(node)
        hasher.combine(number)
    }

    /// For example `"thumbnailer" (actor 1 of the worker "thumbnails" (process 812), incarnation 2)`.
    public var description: String {
        let life = incarnation == 0 ? "" : ", incarnation \(incarnation)"
        let place = "actor \(number) of the \(process)\(life)"
        return name.map { "\"\($0)\" (\(place))" } ?? place
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        guard let node = NodeID(try container.decode([UInt8].self, forKey: .node)) else {
            throw DecodingError.dataCorruptedError(
                forKey: .node,
                in: container,
                debugDescription: "A process is named by \(UInt128.byteCount) bytes."
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
