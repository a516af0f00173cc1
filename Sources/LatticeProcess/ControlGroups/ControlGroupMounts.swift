/// The places of this process's cgroups, as the system describes them. See cgroups(7).
///
/// In version 1 each controller may have a tree of its own. In version 2 there is one tree for the controllers that no
/// tree of version 1 has. A machine may have both.
struct ControlGroupMounts: Sendable, Equatable {
    /// The folder of a group.
    struct Place: Sendable, Hashable {
        enum Version: Sendable {
            case one, two
        }

        let version: Version
        let path: String
    }

    /// The group of this process in the tree of version 2.
    private(set) var unified: Place?
    /// The group that contains it; nil if it is the highest visible one.
    private(set) var above: Place?
    /// The groups of this process in trees of version 1, by controller.
    private(set) var apart: [String: Place] = [:]

    /// Parses the descriptions of the system.
    ///
    /// - Parameters:
    ///   - mounts: The content of `/proc/self/mountinfo`. See proc_pid_mountinfo(5).
    ///   - groups: The content of `/proc/self/cgroup`.
    init(mounts: String, groups: String) {
        let groups = groups.split(separator: "\n").compactMap { line -> (controllers: [String], path: String)? in
            let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard parts.count == 3 else { return nil }
            return (parts[1].split(separator: ",").map(String.init), String(parts[2]))
        }
        for line in mounts.split(separator: "\n") {
            guard let mount = Mount(line) else { continue }
            for (controllers, path) in groups {
                guard let folder = mount.folder(of: path) else { continue }
                if mount.type == "cgroup2", controllers.isEmpty, unified == nil {
                    unified = Place(version: .two, path: folder)
                    if folder != mount.point {
                        let parts = folder.split(separator: "/").dropLast()
                        above = Place(version: .two, path: parts.map { "/\($0)" }.joined())
                    }
                } else if mount.type == "cgroup" {
                    for controller in controllers where mount.options.contains(controller) {
                        apart[controller] = apart[controller] ?? Place(version: .one, path: folder)
                    }
                }
            }
        }
    }

    /// The folders in which a group may be created for ending all of its processes, the best one first.
    var placesForEnding: [Place] {
        [unified].compactMap(\.self) + ["pids", "freezer", "memory"].compactMap { apart[$0] }
    }
}

/// One line of the list of mounts.
private struct Mount {
    /// The part of the tree that is mounted.
    let root: String
    let point: String
    let type: String
    let options: Set<String>

    init?(_ line: Substring) {
        let words = line.split(separator: " ").map(Self.unescaped)
        // Any number of other words may be between the sixth word and the dash.
        guard words.count > 6, let dash = words.indices.dropFirst(6).first(where: { words[$0] == "-" }),
            words.count > dash + 3
        else {
            return nil
        }
        (root, point, type) = (words[3], words[4], words[dash + 1])
        options = Set(words[dash + 3].split(separator: ",").map(String.init))
    }

    /// Returns the folder of the group with this path in the tree; nil if it is not below this mount.
    func folder(of path: String) -> String? {
        let parts = path.split(separator: "/")
        let top = root.split(separator: "/")
        guard parts.starts(with: top), !parts.contains("..") else { return nil }
        return ([point == "/" ? "" : point] + parts.dropFirst(top.count).map(String.init)).joined(separator: "/")
    }

    /// Decodes spaces, tabs, line ends and backslashes, which are written as octal numbers.
    private static func unescaped(_ word: Substring) -> String {
        guard word.contains("\\") else { return String(word) }
        return [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")].reduce(String(word)) {
            $0.split(separator: $1.0, omittingEmptySubsequences: false).joined(separator: $1.1)
        }
    }
}
