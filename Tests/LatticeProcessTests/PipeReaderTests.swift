import CLatticeSystem
import LatticeConcurrency
import LatticeProcess
import LatticeTestSupport
import LatticeTransport
import Testing

@Suite(.timeLimit(.minutes(10))) struct PipeReaderTests {
    @Test("A program that writes without end is read at a bounded rate, and nothing of it is lost")
    func flood() async throws {
        let size = 2 << 20
        try await withReactor { reactor in
            let (reader, writing) = try PipeReader.pipe(reactor: reactor)
            let (read, ended) = (Watched(0), OneShot<Void>())
            let start = ContinuousClock.now
            reader.start { bytes in
                let count = bytes.count
                read.change { $0 += count }
            } onEnd: { error in
                #expect(error == nil)
                ended.complete()
            }
            try SystemThread.start(name: "writer") {
                let line = [UInt8](repeating: 10, count: 64)
                for _ in 0..<size / line.count { _ = write(writing.number, line, line.count) }
                writing.close()
            }
            await ended.wait()
            #expect(read.value == size)
            // 64 KiB in 10 milliseconds, of which the first may come at once and the pipe holds as much.
            #expect(start.duration(to: .now) >= .milliseconds(10 * (size / (64 << 10) - 2)))
        }
    }

    @Test("Single lines arrive at once, however many there are in total")
    func lines() async throws {
        try await withReactor { reactor in
            let (reader, writing) = try PipeReader.pipe(reactor: reactor)
            let read = Watched(0)
            reader.start { bytes in
                let count = bytes.count
                read.change { $0 += count }
            } onEnd: { _ in
            }
            for number in 1...100 {
                _ = write(writing.number, "x", 1)
                try await read.until { $0 == number }
            }
            reader.close()
            writing.close()
        }
    }
}
