import CLatticeSystem
import Synchronization

/// Where this process can make cgroups. Found once, when somebody needs to know.
enum ControlGroupPlaces {
    typealias Place = ControlGroupMounts.Place

    /// What the folders' names begin with; the number of this process follows, and a count.
    private static let prefix = "lattice-"
    private static let count = Atomic<UInt64>(0)

    private static let mounts = ControlGroupMounts(
        mounts: SmallFile.read("/proc/self/mountinfo") ?? "",
        groups: SmallFile.read("/proc/self/cgroup") ?? ""
    )
    /// Where a program has one that has no limits; nil: such programs have none.
    static let ending = mounts.placesForEnding.first { isUsable($0) }
    /// Where a group can limit how much memory its processes have together; nil: nowhere.
    static let memory = place(for: "memory")
    /// Likewise, how many tasks they are.
    static let tasks = place(for: "pids")

    private static func place(for controller: String) -> Place? {
        mounts.places(for: controller).first { gives(controller, $0) && isUsable($0) }
    }

    /// Whether groups in it have a controller, which is seen to where that is possible.
    private static func gives(_ controller: String, _ place: Place) -> Bool {
        guard place.version == .two else { return true }
        let file = place.path + "/cgroup.subtree_control"
        func isGiven() -> Bool {
            SmallFile.read(file)?.split { " \n".contains($0) }.contains { $0 == controller } ?? false
        }
        return isGiven() || SmallFile.write("+\(controller)", to: file) == 0 && isGiven()
    }

    /// Whether groups can be made there, and processes moved to them. Takes away what others have left.
    static func isUsable(_ place: Place) -> Bool {
        guard access(place.path + "/cgroup.procs", W_OK) == 0 else { return false }
        let left = SmallFile.folders(in: place.path).filter { isLeft($0) }
        for name in left { ControlGroup.remove(place.path + "/" + name) }
        let probe = newPath(in: place)
        defer { rmdir(probe) }
        return mkdir(probe, 0o755) == 0
    }

    /// Whether it was made by a process that has ended.
    private static func isLeft(_ name: String) -> Bool {
        let parts = name.split(separator: "-")
        guard name.hasPrefix(prefix), parts.count == 3, let owner = Int32(parts[1]), owner > 0 else { return false }
        return System.call { kill(owner, 0) }.errno == ESRCH
    }

    /// For a group that is to be made there.
    static func newPath(in place: Place) -> String {
        "\(place.path)/\(prefix)\(System.processID)-\(count.add(1, ordering: .relaxed).newValue)"
    }
}
