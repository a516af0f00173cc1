import CLatticeSystem
import LatticeTransport
import Synchronization

/// The name of the folder of a cgroup. It identifies the process that created the cgroup, so that other processes can
/// check whether that has ended.
struct ControlGroupName {
    static let prefix = "lattice-"
    private static let count = Atomic<UInt64>(0)
    /// The process namespace. Process identifiers are only unique in a namespace.
    private static let namespace = String(lattice_process_namespace(), radix: 16)
    /// A random token that distinguishes this process from earlier ones with the same identifier.
    private static let token = String(UInt64.random(in: 0...(.max)), radix: 16)

    private let namespace: String
    private let owner: Int32
    private let token: String
    private let count: UInt64

    static func next() -> ControlGroupName {
        let count = Self.count.add(1, ordering: .relaxed).newValue
        return ControlGroupName(namespace: namespace, owner: System.processID, token: token, count: count)
    }

    private init(namespace: String, owner: Int32, token: String, count: UInt64) {
        (self.namespace, self.owner, self.token, self.count) = (namespace, owner, token, count)
    }

    /// Parses a name. It is nil if the text is the name of something else.
    init?(_ text: String) {
        let parts = text.split(separator: "-")
        guard text.hasPrefix(Self.prefix), parts.count == 5, let owner = Int32(parts[2]), owner > 0,
            let count = UInt64(parts[4])
        else {
            return nil
        }
        self.init(namespace: String(parts[1]), owner: owner, token: String(parts[3]), count: count)
    }

    var text: String { "\(Self.prefix)\(namespace)-\(owner)-\(token)-\(count)" }

    /// A Boolean value that indicates whether the process that created the cgroup has ended.
    var isAbandoned: Bool {
        guard namespace == Self.namespace else { return false }
        if owner == System.processID { return token != Self.token }
        return System.call { kill(owner, 0) }.errno == ESRCH
    }
}
