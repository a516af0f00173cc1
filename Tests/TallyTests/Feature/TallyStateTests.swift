import LatticeCore
import Testing

@testable import TallyProgram

struct TallyStateTests {
    private func path(_ number: Int) -> [UInt8] { Array("folder/\(number).txt".utf8) }

    private func counted(_ paths: some Sequence<[UInt8]>) -> CountedFiles {
        var counted = CountedFiles()
        for path in paths { counted.append(FileCount(path: path, lines: 1, words: 2, bytes: 3)) }
        return counted
    }

    /// Returns a state with this many counted portions of two files each.
    private func state(portions: Int) -> TallyState {
        var state = TallyState()
        for number in 0..<portions {
            let paths = PackedPaths([path(2 * number), path(2 * number + 1)])
            state.claim(paths, by: 0)
            state.record(counted(paths), by: 0)
        }
        return state
    }

    @Test("A claim becomes part of the result, its paths are sent once, and the patch is as small as the change")
    func changes() throws {
        var states = [state(portions: 1_000)]
        let paths = PackedPaths((5_000..<5_100).map(path))
        states.append(states[0])
        states[1].claim(paths, by: 3)
        states.append(states[1])
        states[2].claims[3]?.bytes = 77
        states.append(states[2])
        states[3].record(counted(paths), by: 3)
        states.append(states[3])
        states[4].phase = .finished
        var received = states[0]
        var sizes: [Int] = []
        for (old, new) in zip(states, states.dropFirst()) {
            let patch = try #require(try new.patch(from: old))
            sizes.append(patch.bytes.count)
            try received.apply(patch)
            #expect(received == new)
        }
        #expect(sizes[0] > 300 && sizes[0] < 1_000, "\(sizes)")
        #expect(sizes[1] < 40, "\(sizes)")
        // Three numbers for each file.
        #expect(sizes[2] > 300 && sizes[2] < 400, "\(sizes)")
        #expect(sizes[3] < 40, "\(sizes)")
        #expect(states[3].done == 2_100)
        #expect(states[3].bytes == 3 * 2_100)
    }

    @Test("Claimed files that were not counted are released, and are not part of the result")
    func givenUp() throws {
        var state = state(portions: 3)
        let old = state
        state.claim(PackedPaths([path(100)]), by: 0)
        state.claim(PackedPaths([path(200), path(201)]), by: 1)
        #expect(Report(state, root: []).files.map(\.path) == Report(old, root: []).files.map(\.path))
        #expect(Set(state.giveUpClaims()) == [path(100), path(200), path(201)])
        #expect(state == old)
        #expect(try state.patch(from: old) == nil)
    }

    @Test("Suspected files that were counted or that failed are part of the result")
    func suspects() {
        var state = state(portions: 1)
        state.suspect([path(100), path(101)])
        state.clear(counted([path(100)]))
        var failed = CountedFiles()
        failed.append(TallyState.Failure(path: path(101), reason: "why not"))
        state.clear(failed)
        #expect(state.suspects.isEmpty)
        #expect(state.done == 4)
        #expect(Report(state, root: []).files.map(\.path) == [path(0), path(1), path(100)])
        let known = KnownFiles(state).fingerprints()
        #expect(known == Set([0, 1, 100, 101].map { KnownFiles.Fingerprint(path($0)) }))
    }

    @Test("The files of all portions are sorted by their paths")
    func order() {
        var state = TallyState()
        let paths = (0..<1_000).map(path).shuffled()
        for start in stride(from: 0, to: paths.count, by: 37) {
            let portion = PackedPaths(Array(paths[start..<min(start + 37, paths.count)]))
            state.claim(portion, by: 0)
            state.record(counted(portion), by: 0)
        }
        #expect(Report(state, root: []).files.map(\.path) == paths.sorted { $0.lexicographicallyPrecedes($1) })
        #expect(Report(state, root: []).total == .init(files: 1_000, lines: 1_000, words: 2_000, bytes: 3_000))
    }
}
