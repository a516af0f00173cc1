import CLatticeSystem
import LatticeTransport

/// The folders in which this process can create cgroups. They are determined once, when they are first needed.
enum ControlGroupPlaces {
    typealias Place = ControlGroupMounts.Place

    private static let mounts = ControlGroupMounts(
        mounts: SmallFile.read("/proc/self/mountinfo") ?? "",
        groups: SmallFile.read("/proc/self/cgroup") ?? ""
    )
    /// The folder for the groups of programs without limits; nil if such programs have none.
    static let ending = mounts.placesForEnding.first { isUsable($0) }
    /// The folder in which a group can limit the memory of its processes together; nil if there is none.
    static let memory = place(for: "memory") { countsSwap($0) }
    /// The folder in which a group can limit the number of its tasks; nil if there is none.
    static let tasks = place(for: "pids") { _ in true }

    private static func place(for controller: String, _ isSuitable: (_ probe: String) -> Bool) -> Place? {
        let place: Place
        if let apart = mounts.apart[controller] {
            place = apart
        } else if let unified = unifiedForLimits, isEnabled(controller, in: unified) {
            place = unified
        } else {
            return nil
        }
        return isUsable(place, isSuitable) ? place : nil
    }

    /// The folder of version 2 in which groups may have controllers.
    ///
    /// A group with processes, such as that of this process, never qualifies. It would pass on no controllers, or
    /// become a root of threads whose groups cannot take a process. The folder is therefore the root of the tree, for
    /// which this does not hold, or the group above this process's group. The group above qualifies if it was delegated
    /// to this program with everything in it (systemd's Delegate=), and if this process is not in a group of another
    /// coordinator, which would lose its workers.
    private static var unifiedForLimits: Place? {
        guard let own = mounts.unified else { return nil }
        if access(own.path + "/cgroup.type", F_OK) != 0 { return own }
        guard let above = mounts.above, lattice_is_delegated(above.path) == 1 else { return nil }
        let name = own.path.split(separator: "/").last ?? ""
        return name.hasPrefix(ControlGroupName.prefix) ? nil : above
    }

    /// Returns whether the groups in a folder have a controller. It enables the controller if necessary.
    private static func isEnabled(_ controller: String, in place: Place) -> Bool {
        let file = place.path + "/cgroup.subtree_control"
        func isListed() -> Bool {
            SmallFile.read(file)?.split { " \n".contains($0) }.contains { $0 == controller } ?? false
        }
        return isListed() || SmallFile.write("+\(controller)", to: file) == 0 && isListed()
    }

    /// Returns whether groups can be created in a folder, and processes moved to them. It also ends groups there whose
    /// coordinators have ended.
    ///
    /// - Parameters:
    ///   - place: The folder.
    ///   - isSuitable: Returns whether such a group meets the requirements.
    static func isUsable(_ place: Place, _ isSuitable: (_ probe: String) -> Bool = { _ in true }) -> Bool {
        guard access(place.path + "/cgroup.procs", W_OK) == 0 else { return false }
        let left = SmallFile.folders(in: place.path).filter { ControlGroupName($0)?.isAbandoned ?? false }
        ControlGroup.endAbandoned(left.map { place.path + "/" + $0 })
        let probe = newPath(in: place)
        defer { rmdir(probe) }
        guard System.makeFolder(probe, 0o755) == 0 else { return false }
        let type = SmallFile.read(probe + "/cgroup.type") ?? "domain\n"
        return type == "domain\n" && isSuitable(probe)
    }

    /// Returns whether a limit of memory also counts swapped memory. Otherwise memory would only be swapped out sooner.
    private static func countsSwap(_ probe: String) -> Bool {
        // The first line has the names of the columns.
        let hasSwap = (SmallFile.read("/proc/swaps") ?? "").split(separator: "\n").count > 1
        return !hasSwap || ["swap.max", "memsw.limit_in_bytes"].contains { access("\(probe)/memory.\($0)", F_OK) == 0 }
    }

    /// Returns the path of a group that is to be created in a folder.
    static func newPath(in place: Place) -> String {
        "\(place.path)/\(ControlGroupName.next().text)"
    }
}
