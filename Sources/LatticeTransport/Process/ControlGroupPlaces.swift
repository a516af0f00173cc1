import CLatticeSystem

/// Where this process can make cgroups. Found once, when somebody needs to know.
enum ControlGroupPlaces {
    typealias Place = ControlGroupMounts.Place

    private static let mounts = ControlGroupMounts(
        mounts: SmallFile.read("/proc/self/mountinfo") ?? "",
        groups: SmallFile.read("/proc/self/cgroup") ?? ""
    )
    /// Where a program has one that has no limits; nil: such programs have none.
    static let ending = mounts.placesForEnding.first { isUsable($0) }
    /// Where a group can limit how much memory its processes have together; nil: nowhere.
    static let memory = place(for: "memory") { countsSwap($0) }
    /// Likewise, how many tasks they are.
    static let tasks = place(for: "pids") { _ in true }

    private static func place(for controller: String, _ isRight: (_ probe: String) -> Bool) -> Place? {
        let place: Place
        if let apart = mounts.apart[controller] {
            place = apart
        } else if let unified = unifiedForLimits, isGiven(controller, in: unified) {
            place = unified
        } else {
            return nil
        }
        return isUsable(place, isRight) ? place : nil
    }

    /// Where of version 2 groups may have controllers.
    ///
    /// Never in a group with processes, such as that of this one: it would hand on none, or make itself a root of
    /// threads in which no group can take a process. So it is the root of the tree, for whom that does not hold, or the
    /// group above, if it was handed over to this program with all in it (systemd's Delegate=), and this one is not in
    /// a group of another coordinator's, out of which it would get its workers.
    private static var unifiedForLimits: Place? {
        guard let own = mounts.unified else { return nil }
        if access(own.path + "/cgroup.type", F_OK) != 0 { return own }
        guard let above = mounts.above, lattice_is_delegated(above.path) == 1 else { return nil }
        let name = own.path.split(separator: "/").last ?? ""
        return name.hasPrefix(ControlGroupName.prefix) ? nil : above
    }

    /// Whether groups in it have a controller, which is seen to.
    private static func isGiven(_ controller: String, in place: Place) -> Bool {
        let file = place.path + "/cgroup.subtree_control"
        func isListed() -> Bool {
            SmallFile.read(file)?.split { " \n".contains($0) }.contains { $0 == controller } ?? false
        }
        return isListed() || SmallFile.write("+\(controller)", to: file) == 0 && isListed()
    }

    /// Whether groups can be made there, and processes moved to them. Ends what others have left.
    ///
    /// - Parameter isRight: Whether such a group has what is needed.
    static func isUsable(_ place: Place, _ isRight: (_ probe: String) -> Bool = { _ in true }) -> Bool {
        guard access(place.path + "/cgroup.procs", W_OK) == 0 else { return false }
        let left = SmallFile.folders(in: place.path).filter { ControlGroupName($0)?.isLeft ?? false }
        ControlGroup.endLeft(left.map { place.path + "/" + $0 })
        let probe = newPath(in: place)
        defer { rmdir(probe) }
        guard System.makeFolder(probe, 0o755) == 0 else { return false }
        let type = SmallFile.read(probe + "/cgroup.type") ?? "domain\n"
        return type == "domain\n" && isRight(probe)
    }

    /// Whether a limit of memory holds for what is swapped out, too: else it would only be swapped out sooner.
    private static func countsSwap(_ probe: String) -> Bool {
        // The first line names the columns.
        let hasSwap = (SmallFile.read("/proc/swaps") ?? "").split(separator: "\n").count > 1
        return !hasSwap || ["swap.max", "memsw.limit_in_bytes"].contains { access("\(probe)/memory.\($0)", F_OK) == 0 }
    }

    /// For a group that is to be made there.
    static func newPath(in place: Place) -> String {
        "\(place.path)/\(ControlGroupName.next().text)"
    }
}
