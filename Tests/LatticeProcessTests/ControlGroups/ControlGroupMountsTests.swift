import Testing

@testable import LatticeProcess

/// Tests the parsing of the system's cgroup mounts, and the places in which groups can be created.
struct ControlGroupMountsTests {
    struct Machine: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let mounts: [String]
        let groups: [String]
        /// The places in the tree of version 2, from the group upwards.
        var unified: [String] = []
        var memory: String?
        var ending: [String] = []
    }

    @Test(arguments: [
        Machine(testDescription: "no cgroups", mounts: ["22 1 0:20 / /proc rw - proc proc rw"], groups: []),
        Machine(
            testDescription: "a service of systemd, version 2",
            mounts: ["35 24 0:30 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate"],
            groups: ["0::/system.slice/desk.service/coordinator"],
            unified: [
                "/sys/fs/cgroup/system.slice/desk.service/coordinator", "/sys/fs/cgroup/system.slice/desk.service",
            ],
            ending: ["/sys/fs/cgroup/system.slice/desk.service/coordinator"]
        ),
        Machine(
            testDescription: "a container that sees its own group as the highest, version 2",
            mounts: ["670 669 0:30 / /sys/fs/cgroup ro,nosuid - cgroup2 cgroup rw"],
            groups: ["0::/"],
            unified: ["/sys/fs/cgroup"],
            ending: ["/sys/fs/cgroup"]
        ),
        Machine(
            testDescription: "both versions, each controller in version 1",
            mounts: [
                "41 40 0:36 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory",
                "42 40 0:37 / /sys/fs/cgroup/pids rw,relatime - cgroup cgroup rw,pids",
                "43 40 0:38 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct",
                "44 40 0:39 / /sys/fs/cgroup/unified rw,relatime - cgroup2 cgroup2 rw",
            ],
            groups: ["4:memory:/jobs/7", "3:cpu,cpuacct:/", "2:pids:/", "1:name=systemd:/", "0::/"],
            unified: ["/sys/fs/cgroup/unified"],
            memory: "/sys/fs/cgroup/memory/jobs/7",
            ending: ["/sys/fs/cgroup/unified", "/sys/fs/cgroup/pids", "/sys/fs/cgroup/memory/jobs/7"]
        ),
        Machine(
            testDescription: "a container with a mounted part of the tree, version 1",
            mounts: [
                "41 40 0:36 /docker/4e /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory",
                "42 40 0:37 /docker/4e /sys/fs/cgroup/freezer ro - cgroup cgroup rw,freezer",
            ],
            groups: ["4:memory:/docker/4e", "3:freezer:/docker/4e/inner"],
            memory: "/sys/fs/cgroup/memory",
            ending: ["/sys/fs/cgroup/freezer/inner", "/sys/fs/cgroup/memory"]
        ),
        Machine(
            testDescription: "a group that is not below a mount point",
            mounts: [
                "41 40 0:36 /docker/4e /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory",
                "44 40 0:39 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw",
            ],
            groups: ["4:memory:/docker/4ea", "0::/../other"]
        ),
        Machine(
            testDescription: "a place with a space and a backslash in its name",
            mounts: [#"44 40 0:39 / /mnt/c\040groups\134x rw shared:1 master:2 - cgroup2 none rw"#],
            groups: ["0::/a"],
            unified: [#"/mnt/c groups\x/a"#, #"/mnt/c groups\x"#],
            ending: [#"/mnt/c groups\x/a"#]
        ),
        Machine(
            testDescription: "lines that make no sense",
            mounts: ["", "44", "44 40 0:39 / /cgroup rw", "44 40 0:39 / /cgroup rw - cgroup2", "- - - - - - -"],
            groups: ["", "0", "0:", "::", "0::/"]
        ),
    ])
    func places(machine: Machine) {
        func lines(_ lines: [String]) -> String { lines.map { $0 + "\n" }.joined() }
        let found = ControlGroupMounts(mounts: lines(machine.mounts), groups: lines(machine.groups))
        #expect([found.unified, found.above].compactMap { $0?.path } == machine.unified)
        #expect(found.apart["memory"]?.path == machine.memory)
        #expect(found.placesForEnding.map(\.path) == machine.ending)
    }
}
