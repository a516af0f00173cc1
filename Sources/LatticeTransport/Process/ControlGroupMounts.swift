/// Where the cgroups of this process are, as the system tells it: cgroups(7).
///
/// Of version 1 each controller may have a tree of its own; of version 2 there is one tree, for those controllers that
/// no tree of version 1 has. A machine may have both.
struct ControlGroupMounts: Sendable, Equatable {
    /// The folder of a group.
    struct Place: Sendable, Hashable {
        enum Version: Sendable {
            case one, two
        }

        let version: Version
        let path: String
    }

    /// That of this process in the tree of version 2.
    private(set) var unified: Place?
    /// The one in which that is; nil: it is the highest that is seen.
    private(set) var above: Place?
    /// Those of this process in trees of version 1, by controller.
    private(set) var apart: [String: Place] = [:]

    /// - Parameters:
    ///   - mounts: What `/proc/self/mountinfo` says, proc_pid_mountinfo(5).
    ///   - groups: What `/proc/self/cgroup` says.
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

    /// Where a group may be made of which all is to be ended, the best one first.
    var placesForEnding: [Place] {
        [unified].compactMap(\.self) + ["pids", "freezer", "memory"].compactMap { apart[$0] }
    }
}

/// One line of the list of mounts.
private struct Mount {
    /// Which part of the tree is there.
    let root: String
    let point: String
    let type: String
    let options: Set<String>

    init?(_ line: Substring) {
        let words = line.split(separator: " ").map(Self.unescaped)
        // Between the sixth word and the dash there may be any number of others.
        guard words.count > 6, let dash = words.indices.dropFirst(6).first(where: { words[$0] == "-" }),
            words.count > dash + 3
        else {
            return nil
        }
        (root, point, type) = (words[3], words[4], words[dash + 1])
        options = Set(words[dash + 3].split(separator: ",").map(String.init))
    }

    /// Where a group is whose path in the tree is this; nil: not below this mount.
    func folder(of path: String) -> String? {
        let parts = path.split(separator: "/")
        let top = root.split(separator: "/")
        guard parts.starts(with: top), !parts.contains("..") else { return nil }
        return ([point == "/" ? "" : point] + parts.dropFirst(top.count).map(String.init)).joined(separator: "/")
    }

    /// Spaces, tabs, line ends and backslashes are written as their octal numbers.
    private static func unescaped(_ word: Substring) -> String {
        guard word.contains("\\") else { return String(word) }
        return [("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")].reduce(String(word)) {
            $0.split(separator: $1.0, omittingEmptySubsequences: false).joined(separator: $1.1)
        }
    }
}
