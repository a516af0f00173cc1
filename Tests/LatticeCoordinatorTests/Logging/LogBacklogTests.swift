import Testing

@testable import LatticeCoordinator

struct LogBacklogTests {
    private func texts(_ backlog: inout LogBacklog<String>) -> [String] {
        var texts: [String] = []
        while let item = backlog.next() {
            switch item {
            case .line(let line): texts.append(line)
            case .dropped(let count): texts.append("\(count) dropped")
            }
        }
        return texts
    }

    @Test func linesComeInOrder() {
        var backlog = LogBacklog<String>()
        for line in ["a", "b", "c"] { backlog.add(line, bytes: 1, from: .worker) }
        #expect(texts(&backlog) == ["a", "b", "c"])
        #expect(texts(&backlog) == [])
    }

    @Test("Lines beyond the limit are dropped and counted at their place in the log (F73)")
    func linesOverTheLimitAreCounted() {
        var backlog = LogBacklog<String>()
        let limit = LogBacklog<String>.maximumLines
        for number in 0..<limit + 3 { backlog.add("\(number)", bytes: 1, from: .worker) }
        backlog.add("the worker died", bytes: 15, from: .coordinator)
        backlog.add("late", bytes: 1, from: .worker)
        let got = texts(&backlog)
        #expect(got.prefix(limit) == (0..<limit).map(String.init)[...])
        #expect(got.dropFirst(limit) == ["3 dropped", "the worker died", "1 dropped"])
    }

    @Test("Bytes beyond the limit are dropped, whichever worker wrote them (F73)")
    func bytesOverTheLimitAreCounted() {
        var backlog = LogBacklog<String>()
        let (limit, own) = (LogBacklog<String>.maximumBytes, LogBacklog<String>.reservedBytes)
        backlog.add("a", bytes: limit, from: .worker)
        backlog.add("b", bytes: 1, from: .worker)
        backlog.add("c", bytes: own, from: .coordinator)
        backlog.add("d", bytes: 1, from: .coordinator)
        #expect(texts(&backlog) == ["a", "1 dropped", "c", "1 dropped"])
    }

    @Test func linesThatAreBeingWrittenKeepTheirRoom() {
        var backlog = LogBacklog<String>()
        backlog.add("a", bytes: LogBacklog<String>.maximumBytes, from: .worker)
        _ = backlog.next()
        #expect(!backlog.hasRoom(for: 1, from: .worker))
        _ = backlog.next()
        #expect(backlog.hasRoom(for: LogBacklog<String>.maximumBytes, from: .worker))
        #expect(!backlog.hasRoom(for: LogBacklog<String>.maximumBytes + 1, from: .worker))
    }

    @Test func roomIsCountedOnce() {
        var backlog = LogBacklog<String>()
        for _ in 0..<2 * LogBacklog<String>.maximumLines {
            backlog.add("a", bytes: 1, from: .worker)
            #expect(texts(&backlog) == ["a"])
        }
    }
}
