print("latticectl")
