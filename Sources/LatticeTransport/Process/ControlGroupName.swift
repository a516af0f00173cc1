import CLatticeSystem
import Synchronization

/// What the folder of a cgroup is called: by who has made it, so that it can be told whether that is gone.
struct ControlGroupName {
    static let prefix = "lattice-"
    private static let count = Atomic<UInt64>(0)
    /// Processes have numbers of their own in each namespace.
    private static let namespace = String(lattice_process_namespace(), radix: 16)
    /// Tells this process from earlier ones with its number.
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

    /// nil: that is the name of something else.
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

    /// Whether it was made by a process that has ended.
    var isLeft: Bool {
        guard namespace == Self.namespace else { return false }
        if owner == System.processID { return token != Self.token }
        return System.call { kill(owner, 0) }.errno == ESRCH
    }
}
