import ExampleSupport
import LatticeCore
import Testing

@testable import ChecksumsProgram

struct ChecksumsStateTests {
    @Test func everyPathIsAKeyOfItsOwn() {
        let bytes = Array(UInt8.min...UInt8.max)
        #expect(PathKey(bytes).path == bytes)
        #expect(PathKey([]).path == [])
        // Decoded as UTF-8 with invalid bytes replaced, both keys would be the same text.
        #expect(PathKey([0xFF]) != PathKey([0xFE]))
        #expect(Set(bytes.map { PathKey([$0]) }).count == 256)
        // "é" in one character and in two.
        #expect(PathKey(Array("\u{E9}".utf8)) != PathKey(Array("e\u{301}".utf8)))
    }

    private func batch(_ process: Int32, _ names: String...) -> HashedBatch {
        var batch = HashedBatch(process: process)
        for name in names { batch.append(HashedFile(path: Array(name.utf8), bytes: 10, checksum: Checksum([1]))) }
        return batch
    }

    @Test("Bytes of a file in progress count until its result arrives, and a new worker starts the file again")
    func bytes() {
        var state = ChecksumsState()
        state.request = HashRequest(root: [], workers: 1)
        state.read(5, for: 0, by: 1, at: 1)
        state.read(7, for: 1, by: 1, at: 2)
        #expect(state.bytes == 12)
        state.add(batch(1, "a", "b"), from: 0, at: 3)
        #expect(state.bytes == 27)
        #expect(state.shares.map(\.key) == [1])
        #expect(state.shares[1]?.files == 2)
        state.add([Failure(path: [1], reason: "")], from: 1)
        #expect(state.bytes == 20)
        state.read(7, for: 1, by: 1, at: 4)
        state.beginAgain()
        #expect(state.bytes == 20)
        state.read(1, for: 0, by: 1, at: 4)
        #expect(state.seconds == 8)
    }

    @Test("Only the latest killed hashers are kept")
    func shares() {
        var state = ChecksumsState()
        state.request = HashRequest(root: [], workers: 2)
        for process: Int32 in 1...10 {
            state.add(batch(3, "x"), from: 0, at: 1)
            state.add(batch(process, "y"), from: 0, at: 1)
        }
        #expect(Array(state.shares.keys) == [3, 8, 9, 10])
    }
}
